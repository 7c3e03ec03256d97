// An auditor without JavaScript: the button on a run's page downloads a pack, and the pack verifies with the server gone.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { enrolledAgent } from './builds.mjs';
import { accessibilityFindings, openBrowser, openPage, program, run, startServer } from './support.mjs';

let browser, server, agent, built, folder;

before(async () => {
  browser = await openBrowser();
  server = await startServer();
  agent = await enrolledAgent(server, 'builder-7');
  built = (await agent.build('resnet50')).json;
  folder = await mkdtemp(join(tmpdir(), 'acta-pack-'));
}, { timeout: 120_000 });

after(async () => {
  await browser?.close();
  await server?.stop();
  await agent?.close();
  if (folder) await rm(folder, { recursive: true });
});

test('the search box finds the run\'s network by the first digits, in both languages', async () => {
  const digest = built.predicate.network.digest;
  for (const [lang, word] of [['en', 'Search'], ['es', 'Buscar']]) {
    const page = await openPage(browser, { baseURL: server.url, javaScriptEnabled: false });
    await page.goto(`/ledger?lang=${lang}`);
    await page.locator('.masthead form[role=search] input').fill(digest.slice(0, 10));
    await page.locator('.masthead form[role=search] button', { hasText: word }).click();
    await page.waitForURL(`**/d/sha256/${digest}`);
    assert.match(await page.locator('main').innerText(), new RegExp(digest));
    await page.context().close();
  }
  const page = await openPage(browser, { baseURL: server.url });
  await page.goto('/search?q=1');
  assert.deepEqual(await accessibilityFindings(page), []);
  await page.context().close();
});

test('without JavaScript the button downloads a pack that verifies without the server', async () => {
  const page = await openPage(browser, { baseURL: server.url, javaScriptEnabled: false });
  await page.goto(`/runs/${built.predicate.run.id}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('a.btn[href^="/api/v1/packs?run="]').click(),
  ]);
  assert.match(download.suggestedFilename(), /^run-\d+\.acta$/);
  const file = join(folder, 'run.acta');
  await download.saveAs(file);
  await page.context().close();
  const keys = await (await fetch(`${server.url}/api/v1/keys`)).json();
  await server.stop();
  server = undefined;
  const args = ['verify', file, '--log-key', keys.logKey, '--portal-key', keys.portalKey, '--json'];
  const verified = JSON.parse(await run(program('acta'), args, { env: { ACTA_HOME: folder } }));
  assert.equal(verified.holds, true);
  assert.deepEqual(verified.report.about, { run: built.predicate.run.id });
});
