// A real build followed while it runs: the tree moves, a reviewer cancels it in the portal, the five moments appear, and
// the page leads to the signed run. With JavaScript the page keeps up by itself, without it by being loaded again.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { enrolledAgent } from './builds.mjs';
import { accessibilityFindings, openBrowser, openPage, program, root, run, startServer } from './support.mjs';

const password = 'correct horse battery staple';
const people = [
  { name: 'rita', role: 'reviewer', password },
  { name: 'adam', role: 'auditor', password },
];
let browser;
let server;
let agent;

before(async () => {
  browser = await openBrowser();
  server = await startServer({ users: people, args: [] });
  agent = await enrolledAgent(server, 'builder-7');
  // A network whose build is silent for several seconds in one phase.
  await run(program('acta-stage'), ['model', join(agent.home, 'slow.onnx'), '900', '64']);
});
after(async () => {
  await browser?.close();
  await agent?.close();
  await server?.stop();
});

/** Starts a build; `ended` resolves to its exit code and what it printed. */
async function startBuild() {
  const args = ['build', join(agent.home, 'slow.onnx'), '-o', join(agent.home, 'slow.plan'), '--route', 'test/live', '--json'];
  const child = spawn(program('acta'), args, { cwd: root, env: { ...process.env, ACTA_HOME: agent.home } });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  const ended = once(child, 'close').then(([code]) => ({ code, json: JSON.parse(out), err }));
  const id = await new Promise((done, fail) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      err += text;
      const found = /acta: run (\S+)/.exec(err);
      if (found) done(found[1]);
    });
    child.once('error', fail);
  });
  return { id, ended };
}

async function signedIn(name, options) {
  const page = await openPage(browser, { baseURL: server.url, ...options });
  await page.goto('/sign-in?next=%2Flive');
  await page.locator('input[name=name]').fill(name);
  await page.locator('input[name=password]').fill(password);
  await page.locator('form[action="/sign-in"] button').click();
  await page.waitForURL('**/live');
  return page;
}

/** Opens the page of a build as soon as the portal knows it. */
async function openBuild(page, id) {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const answer = await page.goto(`/runs/${id}/live`);
    if (answer.status() === 200) return;
    page.complaints.length = 0;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('the build is never seen');
}

async function cancelInPortal(page) {
  await page.locator('#live-ask input[name=reason]').fill('too slow for today');
  await page.locator('#live-ask button').click();
  await page.waitForURL('**/cancel?*');
  assert.match(await page.locator('h1').innerText(), /Cancel the build of slow\.onnx/);
  await page.locator('form[method=post] button.btn').click();
  await page.waitForURL('**/live');
}

const come = '#live-moments li.come';

test('with JavaScript a build is followed to its cancel', async () => {
  const page = await signedIn('rita');
  const { id, ended } = await startBuild();
  await openBuild(page, id);
  await page.locator('form[data-live=following]').waitFor({ timeout: 20_000 });
  // The tree moves without the page being loaded again.
  await page.evaluate(() => (globalThis.sameDocument = true));
  await page.locator('#live-tree li.open').first().waitFor({ timeout: 60_000 });
  const before = await page.locator('#live-answer').innerText();
  await page.waitForFunction((text) => document.getElementById('live-answer').innerText !== text, before);
  assert.equal(await page.evaluate(() => globalThis.sameDocument), true);
  assert.deepEqual(await accessibilityFindings(page), []);
  // Paused, nothing moves; what was typed stays.
  await page.locator('#live-ask input[name=reason]').fill('typed');
  await page.locator('button[name=updates]').click();
  await page.locator('form[data-live=paused]').waitFor();
  const still = await page.locator('#live-answer').innerText();
  await new Promise((done) => setTimeout(done, 1_500));
  assert.equal(await page.locator('#live-answer').innerText(), still);
  await page.locator('button[name=updates]').click();
  await page.locator('form[data-live=following]').waitFor();
  assert.equal(await page.locator('#live-ask input[name=reason]').inputValue(), 'typed');

  // Beside earlier builds: there is none yet. The silence grows in words until the cancel is asked for.
  await page.locator('#live-verdict').getByText('never seen in a build of this kind').first().waitFor({ timeout: 30_000 });
  const verdict = await page.locator('#live-verdict').innerText();
  assert.doesNotMatch(verdict, /acknowledgement/);

  await cancelInPortal(page);
  // The verdict changes: the request waits for a step, and its wait is told while it lasts or once it was answered.
  await page.locator('#live-verdict').getByText(/no acknowledgement yet after|acknowledged after/).waitFor({ timeout: 60_000 });
  assert.notEqual(await page.locator('#live-verdict').innerText(), verdict);
  await page.locator(come).nth(4).waitFor({ timeout: 120_000 });
  assert.deepEqual(await page.locator(`${come} .what`).allInnerTexts(), [
    'requested', 'delivered', 'acknowledged', 'returned', 'cleaned',
  ]);
  assert.match(await page.locator('#live-moments').innerText(), /rita, reviewer.*too slow for today/);
  await page.locator('form[data-live=over]').waitFor({ timeout: 30_000 });
  assert.deepEqual(await accessibilityFindings(page), []);
  await page.getByRole('link', { name: 'Open the signed run' }).click();
  await page.waitForURL(`**/runs/${id}`);
  assert.match(await page.locator('#cancel-request').innerText(), /Asked in the portal by rita/);
  const { code, json } = await ended;
  assert.equal(code, 4);
  assert.equal(json.predicate.cancelSource, 'api');
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test('without JavaScript the page is loaded again by itself, and the cancel is the same', async () => {
  const page = await signedIn('rita', { javaScriptEnabled: false });
  const { id, ended } = await startBuild();
  await openBuild(page, id);
  // Chromium honours the refresh only where scripts are off: the page comes back by itself.
  await page.waitForEvent('framenavigated', { timeout: 20_000 });
  await cancelInPortal(page);
  const { code } = await ended;
  assert.equal(code, 4);
  await page.goto(`/runs/${id}/live`);
  assert.equal(await page.locator(come).count(), 5);
  assert.ok(await page.getByRole('link', { name: 'Open the signed run' }).isVisible());
  await page.context().close();
});

test('the live pages are accessible and fit, in both languages, for who may cancel and who may not', async () => {
  const { id, ended } = await startBuild();
  for (const name of ['rita', 'adam']) {
    const page = await signedIn(name);
    await openBuild(page, id);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const lang of ['en', 'es']) {
        for (const path of ['/live', `/runs/${id}/live?updates=paused`, `/runs/${id}/cancel`]) {
          await page.goto(`${path}${path.includes('?') ? '&' : '?'}lang=${lang}`);
          assert.deepEqual(await accessibilityFindings(page), [], `${name} ${path} ${lang} ${width}`);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(overflow <= 0, `${path} ${lang} ${width}: ${overflow} px too wide`);
        }
      }
    }
    if (name === 'rita') {
      await page.goto(`/runs/${id}/live?lang=en`);
      const open = await page.locator('#live-ask input[name=reason]').count();
      if (open) await cancelInPortal(page);
    }
    await page.context().close();
  }
  await ended;
});
