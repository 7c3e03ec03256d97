// The reviewer's main job: sign in, open the cancelled run, see its phases and that it verifies; with JavaScript and
// without, in both languages. Everything is real: the builds, the server, the browser.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { enrolledAgent } from './builds.mjs';
import { accessibilityFindings, openBrowser, openPage, run, startServer } from './support.mjs';

const password = 'correct horse battery staple';
let browser, server, agent, cancelled, completed;

before(async () => {
  browser = await openBrowser();
  server = await startServer({ users: [{ name: 'ada', role: 'reviewer', password }], args: [] });
  agent = await enrolledAgent(server, 'builder-7');
  completed = (await agent.build('densenet121')).json;
  cancelled = await agent.cancelledBuild('densenet121', completed.predicate.durationMs.total);
}, { timeout: 120_000 });

after(async () => {
  await browser?.close();
  await server?.stop();
  await agent?.close();
});

async function signedIn(options) {
  const page = await openPage(browser, { baseURL: server.url, ...options });
  await page.goto('/ledger');
  assert.match(page.url(), /\/sign-in\?next=%2Fledger$/, 'nobody reads without signing in');
  await page.locator('input[name=name]').fill('ada');
  await page.locator('input[name=password]').fill(password);
  await page.locator('form[action="/sign-in"] button').click();
  await page.waitForURL('**/ledger');
  return page;
}

async function openCancelledRun(page) {
  await page.goto('/runs?outcome=cancelled');
  await page.locator(`a[href="/runs/${cancelled.predicate.run.id}"]`).first().click();
  await page.waitForURL(`**/runs/${cancelled.predicate.run.id}`);
}

async function seesThePhases(page) {
  const text = await page.locator('main').innerText();
  assert.match(text, /Building engine/);
  assert.ok((await page.locator('svg.chart').count()) > 0, 'the timeline is drawn');
  assert.ok((await page.locator('tr[id^="phase-"]').count()) >= 3, 'the phases are listed');
  assert.match(text, /request/i);
}

test('with JavaScript: the browser itself verifies the cancelled run', async () => {
  const page = await signedIn();
  await openCancelledRun(page);
  await seesThePhases(page);
  await page.locator('[data-verify="good"]').first().waitFor({ timeout: 15_000 });
  assert.match(await page.locator('main').innerText(), /verified in this browser/i);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test('without JavaScript: the page is whole, with the server\'s word and the command to check it', async () => {
  const page = await signedIn({ javaScriptEnabled: false });
  await openCancelledRun(page);
  await seesThePhases(page);
  const text = await page.locator('main').innerText();
  assert.match(text, new RegExp(`acta verify --server ${server.url} --entry ${cancelled.entryIndex}`));
  await page.locator('form[action="/sign-out"] button').click();
  await page.waitForURL('**/sign-in*');
  await page.goto('/runs');
  assert.match(page.url(), /sign-in/, 'signed out is signed out');
  await page.context().close();
});

test('a wrong password keeps the name and says what is wrong', async () => {
  const page = await openPage(browser, { baseURL: server.url, javaScriptEnabled: false });
  await page.goto('/sign-in');
  await page.locator('input[name=name]').fill('ada');
  await page.locator('input[name=password]').fill('wrong');
  await page.locator('form[action="/sign-in"] button').click();
  await page.waitForURL('**/sign-in?error=credentials*');
  assert.equal(await page.locator('input[name=name]').inputValue(), 'ada');
  assert.ok((await page.locator('[role=alert]').count()) > 0);
  await page.context().close();
});

test('every page is accessible, in both languages and both themes, wide and narrow', async () => {
  const page = await signedIn();
  const id = cancelled.predicate.run.id;
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const [width, height] of [[1280, 900], [390, 844]]) {
      await page.setViewportSize({ width, height });
      for (const path of ['/runs', `/runs/${id}`, `/entries/${cancelled.entryIndex}`, '/ledger', '/nowhere']) {
        for (const lang of ['en', 'es']) {
          await page.goto(`${path}?lang=${lang}`);
          assert.deepEqual(await accessibilityFindings(page), [], `${path} ${lang} ${colorScheme} ${width}`);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(overflow <= 0, `${path} ${lang} ${width}: the page is ${overflow} px wider than the window`);
        }
      }
    }
  }
  await page.context().close();
});

test('a byte flipped in the database makes the browser\'s own check fail, and it names the entry', async () => {
  const page = await signedIn();
  const flip = `
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], timeout=10)
index = int(sys.argv[2])
database.execute('drop trigger if exists entry_refuses_update')
record = bytearray(database.execute('select record from entry where idx = ?', (index,)).fetchone()[0])
record[-10] ^= 1
database.execute('update entry set record = ? where idx = ?', (bytes(record), index))
database.commit()
`;
  const index = completed.entryIndex;
  await run('python3', ['-c', flip, `${server.data}/acta.db`, String(index)]);
  for (const path of [`/entries/${index}`, `/runs/${completed.predicate.run.id}`]) {
    await page.goto(path);
    await page.locator('[data-verify="bad"]').first().waitFor({ timeout: 15_000 });
    assert.match(await page.locator('main').innerText(), new RegExp(`entry ${index}`, 'i'), path);
  }
  // Other entries still verify: their proofs do not go through the damaged bytes.
  await page.goto(`/entries/${cancelled.entryIndex}`);
  await page.locator('[data-verify="good"]').first().waitFor({ timeout: 15_000 });
  await page.context().close();
});
