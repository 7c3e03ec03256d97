// Going back, by real processes: bundle A is live, B is approved and deployed, B's canary fails, a person rolls back in the
// browser, the agent beside the runtime does it. Somebody looks at the link all the time.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { enrolledAgent } from './builds.mjs';
import { decide, gather, isAccessible, openRoute, order, password, routeState, signConfirmation, signOrder, signedIn, startWithRoute, until } from './routes.mjs';
import { openBrowser, run } from './support.mjs';

const bundles = { a: 'bundle A', b: 'bundle B, newer and worse', c: 'bundle C, newer and fine' };
let browser, server, runtime, deployer, ended, target;
// The bundle that both tests go back to.
let a;

before(async () => {
  browser = await openBrowser();
  server = await startWithRoute({ ana: 'approver', rita: 'reviewer' });
  runtime = await enrolledAgent(server, 'runtime-1');
  target = join(runtime.home, 'target');
  await mkdir(target);
  deployer = await deployAgent();
  ended = once(deployer, 'exit');
});
after(async () => {
  await browser?.close();
  deployer?.kill('SIGTERM');
  const how = await ended;
  await server?.stop();
  await runtime?.close();
  assert.deepEqual(how, [0, null], 'the agent ended in order');
});

const file = async (name, content) => {
  const path = join(runtime.home, name);
  await writeFile(path, JSON.stringify(content));
  return path;
};

async function deployAgent() {
  const environment = await file('environment.json', { tensorrt: '1.7.1.116', gpu: 'NVIDIA H200' });
  const health = 'test -s "$ACTA_BUNDLE" -a -s "$ACTA_RUNTIME_CONFIG"';
  return runtime.start([
    'deploy-agent', '--route', 'mini', '--target', target, '--runtime-target', 'native_cpp_task_api_on_nvidia_h200',
    '--environment', environment, '--health', health, '--poll', '50ms', '--quiet',
  ]);
}

const live = async () => (await readFile(join(target, 'current/bundle'))).toString();

/** Looks at what is live, without a pause, until `stop`; which says how often, and what was seen in which order. */
function poller() {
  let over = false;
  const seen = [];
  let looks = 0;
  const looking = (async () => {
    while (!over) {
      const found = await live();
      if (seen.at(-1) !== found) seen.push(found);
      looks += 1;
    }
  })();
  // A look that fails is told by `stop`, not by an unhandled rejection before it.
  looking.catch(() => {});
  return async () => {
    over = true;
    await looking;
    return { looks, seen };
  };
}

/** Orders, and waits until the agent has carried it out; returns its last step. */
async function ordered(page, action, bundle) {
  return carriedOut(page, bundle, await order(page, action, bundle));
}

/** Waits for the last step of the order that an entry gave. */
const carriedOut = (page, bundle, entry) =>
  until(`the order of entry ${entry} is carried out`, async () => {
    const { state } = await routeState(page, bundle);
    const steps = state.history.filter((item) => item.kind === 'result' && item.entry.index > entry);
    return steps.find((item) => item.step === 'verified');
  });

/** Gathers a bundle's evidence, approves and deploys it; returns its digest and when it was live. */
async function serve(approver, content, prepare = async () => {}) {
  const bundle = await gather(server, content, { leftOut: ['drill'] });
  await prepare(bundle);
  await decide(approver, bundle, 'approve');
  const { at } = await ordered(approver, 'deploy', bundle);
  assert.equal(await live(), content);
  return { bundle, at };
}

/** Ten minutes later: what needs a fresh password asks for it. */
const stepDown = (name) =>
  run('python3', ['-c', `
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], timeout=10)
database.execute('update session set authenticated_at = authenticated_at - 600000 where account = ?', (sys.argv[2],))
database.commit()
`, join(server.data, 'acta.db'), name]);

test('a failed canary is answered in the browser: the page offers the way back, the agent goes it, the route holds', { timeout: 120_000 }, async () => {
  const ana = await signedIn(browser, server, 'ana', { javaScriptEnabled: false });
  const rita = await signedIn(browser, server, 'rita');

  const { bundle, at: atA } = await serve(ana, bundles.a, async (bundle) => {
    assert.match(await openRoute(rita, bundle), /no drill ever restored it|never/i);
    await ordered(rita, 'drill', bundle);
  });
  a = bundle;
  const stop = poller();
  const { bundle: b, at: atB } = await serve(ana, bundles.b);

  const plan = await file('plan.json', { trafficShare: 0.1, minSamples: 100, durationMs: 1000, thresholds: { errorRate: 0.01 } });
  const samples = await file('samples.json', { samplesMs: Array(150).fill(18), errors: '50', durationMs: 2000 });
  const canary = ['canary', 'push', '--route', 'mini', '--bundle', `sha256:${b}`, '--plan', plan, '--samples', samples];
  await assert.rejects(runtime.acta(canary), /exit 7\n[^]*error_rate/);

  // The page offers the way back; the bundle is chosen already, and so is the reason.
  assert.match(await openRoute(rita, b), /the canary failed/i);
  await rita.locator('a[href="/routes/mini/rollback"]').first().click();
  await rita.waitForURL('**/routes/mini/rollback');
  await isAccessible(rita);
  assert.match(await rita.locator('main').innerText(), /the canary failed\. the bundle .* is chosen already/i);
  assert.equal(await rita.locator('input[name=to]:checked').inputValue(), a);
  await stepDown('rita');
  await rita.locator('form[action="/routes/mini/rollback"] button').first().click();
  await rita.waitForURL('**/routes/mini/rollback?*');
  await isAccessible(rita);
  assert.equal(await rita.locator('[name=reason_code]').inputValue(), 'canary');
  const text = 'a quarter of the requests failed';
  assert.equal(await signOrder(rita, { text, password: 'wrong' }), 0, 'a wrong password orders nothing');
  assert.equal(await rita.locator('[name=text]').inputValue(), text, 'and loses nothing');
  await isAccessible(rita);
  const entry = await signOrder(rita, { password });
  assert.ok(entry, await rita.locator('main').innerText());
  await isAccessible(rita);

  await carriedOut(rita, a, entry);
  const { looks, seen } = await stop();
  assert.deepEqual(seen, [bundles.a, bundles.b, bundles.a], 'at every look one of the two was whole, in this order');
  assert.ok(looks > 100, `${looks} looks`);
  assert.deepEqual(rita.complaints, []);

  // The route holds, whichever bundle is looked at, and only an approver lifts that.
  for (const bundle of [a, b]) {
    const { record, state } = await routeState(rita, bundle);
    assert.equal(record.validation_status, 'hold');
    assert.deepEqual(state.holds.map((hold) => [hold.cause, hold.routeWide, hold.by]), [['rolled_back', true, 'rita']]);
    assert.equal(state.live.bundle, a);
  }
  const told = await openRoute(rita, a);
  assert.match(told, /was rolled back and stays on hold until an approver lifts it/i);
  assert.match(told, /you may not lift a hold/i, 'a reviewer does not');
  await decide(ana, a, 'lift_hold', { text: 'B is out of service' });
  assert.deepEqual((await routeState(ana, b)).state.holds, []);

  // What was live then, and what is now.
  for (const [at, bundle] of [[atA, a], [atB, b], [new Date().toISOString(), a]]) {
    await rita.goto(`/routes/mini/live?at=${encodeURIComponent(at)}`);
    await isAccessible(rita);
    assert.match(await rita.locator('h1').innerText(), new RegExp(`bundle ${bundle.slice(0, 12)} was live`), at);
  }
  await Promise.all([ana, rita].map((page) => page.context().close()));
});

test('a rollback that can wait is asked for by one person and confirmed by another', { timeout: 60_000 }, async () => {
  const ana = await signedIn(browser, server, 'ana');
  const rita = await signedIn(browser, server, 'rita', { javaScriptEnabled: false });
  await serve(ana, bundles.c);
  // Nothing failed: one person alone does not move what is live.
  const entry = await order(rita, 'rollback', a);
  assert.match(await rita.locator('main').innerText(), /waits for a second person/i);
  await rita.goto('/routes/mini/confirm');
  assert.match(await rita.locator('h1').innerText(), /you may not confirm this order/i);

  assert.match(await openRoute(ana, a), /waits for a second person/i);
  const { state } = await routeState(ana, a);
  assert.deepEqual(state.history.filter((item) => item.kind === 'result' && item.entry.index > entry), []);
  assert.equal(await live(), bundles.c, 'the agent has not begun');
  await ana.locator('a[href="/routes/mini/confirm"]').first().click();
  await ana.waitForURL('**/routes/mini/confirm');
  await isAccessible(ana);
  assert.ok(await signConfirmation(ana), await ana.locator('main').innerText());
  await isAccessible(ana);

  await carriedOut(ana, a, entry);
  assert.equal(await live(), bundles.a);
  assert.match(await openRoute(ana, a), /confirmed by ana/i);
  assert.deepEqual(ana.complaints, []);
  await Promise.all([ana, rita].map((page) => page.context().close()));
});
