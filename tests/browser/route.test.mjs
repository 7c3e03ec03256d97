// The reviewer's whole loop on a route: board, route, hold with a reason, lift, approval by a second person; with
// JavaScript and without. Who may not is told why.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { accessibilityFindings, openBrowser, openPage, program, run, startServer } from './support.mjs';

const password = 'correct horse battery staple';
const people = [
  { name: 'adam', role: 'admin' },
  { name: 'olga', role: 'approver' },
  { name: 'ana', role: 'approver' },
  { name: 'rita', role: 'reviewer' },
].map((person) => ({ ...person, password }));
let browser;

before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

/** A server with a route that waits for approval; its evidence comes from an agent that olga owns. */
async function staged() {
  const server = await startServer({ users: people, args: [] });
  const token = (await server.admin(['agent', 'token', '--label', 'builder-7', '--owner', 'olga', '--print-only'])).trim();
  const bundle = (await run(program('acta-stage'), [server.url, token, 'adam', password])).trim();
  return { server, bundle };
}

async function signedIn(server, name, options) {
  const page = await openPage(browser, { baseURL: server.url, ...options });
  await page.goto('/sign-in?next=%2Froutes');
  await page.locator('input[name=name]').fill(name);
  await page.locator('input[name=password]').fill(password);
  await page.locator('form[action="/sign-in"] button').click();
  await page.waitForURL('**/routes');
  return page;
}

const status = async (page) => {
  await page.goto('/routes/mini');
  return page.locator('main').innerText();
};

/** Fills the form on the route's page, looks at the review, and signs. */
async function decide(page, kind, fields = {}) {
  await page.goto('/routes/mini');
  const form = page.locator('form[action="/routes/mini/decide"]');
  await form.locator(`input[name=kind][value=${kind}]`).check();
  for (const [name, value] of Object.entries(fields)) {
    const field = form.locator(`[name=${name}]`).first();
    if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value);
    else await field.fill(value);
  }
  await form.locator('button').first().click();
  await page.waitForURL('**/routes/mini/decide?*');
  const review = page.locator('form[action="/routes/mini/decisions"]');
  const asked = review.locator('input[name=password]');
  if (await asked.count()) await asked.fill(password);
  await review.locator('button').first().click();
  await page.waitForURL('**/routes/mini/done/*');
}

for (const javaScriptEnabled of [true, false]) {
  test(`${javaScriptEnabled ? 'with' : 'without'} JavaScript: hold with a reason, lift, approval by a second person`, async () => {
    const { server } = await staged();
    try {
      const rita = await signedIn(server, 'rita', { javaScriptEnabled });
      assert.match(await rita.locator('main').innerText(), /mini/, 'the board lists the route');
      assert.match(await status(rita), /may not be served/i);
      await decide(rita, 'hold', {
        reason_code: 'licence',
        text: 'the licence is not clear',
        hold_owner: 'rita',
        review_at: '2099-01-01',
      });
      assert.match(await status(rita), /the licence is not clear/);

      const ana = await signedIn(server, 'ana', { javaScriptEnabled });
      await decide(ana, 'lift_hold', { text: 'the licence is clear now' });
      const olga = await signedIn(server, 'olga', { javaScriptEnabled });
      assert.match(await status(olga), /may not approve/i, 'whoever owns the agent is told why not');
      await decide(ana, 'approve');
      assert.match(await status(ana), /may be served/i);
      if (javaScriptEnabled) assert.deepEqual(ana.complaints, []);
      for (const page of [rita, ana, olga]) await page.context().close();
    } finally {
      await server.stop();
    }
  });
}

test('the pages of a route are accessible, in both languages, wide and narrow', async () => {
  const { server, bundle } = await staged();
  try {
    const page = await signedIn(server, 'ana');
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
    await page.context().close();
  } finally {
    await server.stop();
  }
});
