// The reviewer's whole loop on a route: board, route, hold with a reason, lift, approval by a second person; a gate
// overridden by two persons; approve and hold in the same second. Who may not is told why.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { decide, gather, openRoute, reviewDecision, routeState, signDecision, signedIn, startWithRoute } from './routes.mjs';
import { accessibilityFindings, openBrowser } from './support.mjs';

const hold = { reason_code: 'licence', text: 'the licence is not clear', hold_owner: 'rita', review_at: '2099-01-01' };
let browser, server;

before(async () => {
  browser = await openBrowser();
  server = await startWithRoute({ olga: 'approver', ana: 'approver', otto: 'approver', rita: 'reviewer' });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const person = (name, options) => signedIn(browser, server, name, options);
const close = (...pages) => Promise.all(pages.map((page) => page.context().close()));

for (const javaScriptEnabled of [true, false]) {
  const mode = `${javaScriptEnabled ? 'with' : 'without'} JavaScript`;
  test(`${mode}: hold with a reason, lift, approval by a second person`, async () => {
    const bundle = await gather(server, `reviewed ${mode}`, { owner: 'olga' });
    const rita = await person('rita', { javaScriptEnabled });
    assert.match(await rita.locator('main').innerText(), /mini/, 'the board lists the route');
    assert.match(await openRoute(rita, bundle), /may not be served/i);
    await decide(rita, bundle, 'hold', hold);
    assert.match(await openRoute(rita, bundle), /the licence is not clear/);

    const ana = await person('ana', { javaScriptEnabled });
    await decide(ana, bundle, 'lift_hold', { text: 'the licence is clear now' });
    const olga = await person('olga', { javaScriptEnabled });
    assert.match(await openRoute(olga, bundle), /may not approve/i, 'whoever owns the agent is told why not');
    await decide(ana, bundle, 'approve');
    assert.match(await openRoute(ana, bundle), /may be served/i);
    if (javaScriptEnabled) assert.deepEqual(ana.complaints, []);
    await close(rita, ana, olga);
  });
}

test('a gate without evidence is passed by two persons, for a time, and that stays visible', async () => {
  const bundle = await gather(server, 'without parity', { owner: 'olga', leftOut: ['gate-4'] });
  const expires = new Date(Date.now() + 3 * 24 * 3_600_000).toISOString().slice(0, 10);
  const override = { gates: ['4', '5'], reason_code: 'parity', text: 'the target is away for repair', expires_at: expires };
  const ana = await person('ana');
  assert.match(await openRoute(ana, bundle), /gate 4 has no evidence/i);
  await decide(ana, bundle, 'override', override);
  const alone = await openRoute(ana, bundle);
  assert.match(alone, /ana overrides it, until/);
  assert.match(alone, /may not be served/i, 'one person does not pass a gate');
  assert.match(alone, /may not approve/i);

  const otto = await person('otto', { javaScriptEnabled: false });
  await decide(otto, bundle, 'override', { ...override, text: 'agreed with ana' });
  const both = await routeState(otto, bundle);
  assert.deepEqual(both.state.gates.map((gate) => gate.state), ['satisfied', 'satisfied', 'satisfied', 'overridden', 'overridden']);
  await decide(otto, bundle, 'approve');
  const served = await openRoute(ana, bundle);
  assert.match(served, /may be served/i);
  for (const words of [/overridden/, /ana overrides it, until/, /otto overrides it, until/]) assert.match(served, words);
  assert.deepEqual(ana.complaints, []);
  await close(ana, otto);
});

test('approve and hold in the same second: both are logged, and both see one state', async () => {
  const [ana, rita] = [await person('ana'), await person('rita')];
  // At once, whoever is first; then the approval a moment earlier. Both pages were made before either was signed.
  for (const atOnce of [true, false]) {
    const bundle = await gather(server, `contested ${atOnce}`, { owner: 'olga' });
    await reviewDecision(ana, bundle, 'approve');
    await reviewDecision(rita, bundle, 'hold', hold);
    const approving = signDecision(ana);
    if (!atOnce) await approving;
    const [approved, held] = await Promise.all([approving, signDecision(rita)]);
    assert.ok(held, 'whoever holds is never sent back');
    assert.ok(approved, 'and whoever approved without knowing of the hold is on record with that');

    const { record, state } = await routeState(ana, bundle);
    const decisions = state.history.filter((item) => item.kind === 'decision' && item.bundle === bundle);
    const logged = decisions.map((item) => item.decision).sort();
    assert.deepEqual(logged, ['approve', 'hold']);
    assert.equal(record.validation_status, 'hold', 'a hold ends what came before it and stops what comes after');
    for (const page of [ana, rita]) {
      const text = await openRoute(page, bundle);
      assert.match(text, /Set by rita/);
      assert.match(text, /may not be served: it is on hold/i);
      assert.match(text, /Approve/, 'the approval stands in the history');
    }
  }
  assert.deepEqual([ana.complaints, rita.complaints], [[], []]);
  await close(ana, rita);
});

test('the pages of a route are accessible, in both languages, wide and narrow', async () => {
  const bundle = await gather(server, 'looked at', { owner: 'olga' });
  const page = await person('ana');
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of [
      '/routes',
      '/routes/mini',
      `/routes/mini/decide?kind=hold&bundle=${bundle}`,
      '/routes/mini/rollback',
      '/routes/mini/live?at=2026-11-29',
      '/account',
    ]) {
      for (const lang of ['en', 'es']) {
        await page.goto(`${path}${path.includes('?') ? '&' : '?'}lang=${lang}`);
        assert.deepEqual(await accessibilityFindings(page), [], `${path} ${lang} ${width}`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${path} ${lang} ${width}: ${overflow} px too wide`);
      }
    }
  }
  await close(page);
});
