// What a reviewer asks about many runs: tick some and compare them, see why one took longer, how long cancels take. With
// JavaScript and without, in both languages. The builds, the server and the browser are real.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { enrolledAgent } from './builds.mjs';
import { accessibilityFindings, openBrowser, openPage, startServer } from './support.mjs';

let browser, server, agent, first, second, cancelled;

before(async () => {
  browser = await openBrowser();
  server = await startServer();
  agent = await enrolledAgent(server, 'builder-7');
  first = (await agent.build('squeezenet')).json;
  second = (await agent.build('squeezenet', { args: ['--opt-level', '1'] })).json;
  const whole = (await agent.build('densenet121')).json;
  cancelled = await agent.cancelledBuild('densenet121', whole.predicate.durationMs.total);
}, { timeout: 180_000 });

after(async () => {
  await browser?.close();
  await server?.stop();
  await agent?.close();
});

const id = (run) => run.predicate.run.id;

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without';

  test(`${how} JavaScript: runs are ticked, compared, turned around and told why`, async () => {
    const page = await openPage(browser, { baseURL: server.url, javaScriptEnabled });
    await page.goto('/runs');
    for (const run of [second, first]) await page.locator(`input[name=run][value="${id(run)}"]`).check();
    await page.locator('form[action="/compare"] button').click();
    await page.waitForURL('**/compare?run=*');
    // How long two real builds take is not the test's to say: they may differ by less than one in a hundred.
    assert.match(await page.locator('h1').innerText(), /Run \d+ took (.* (longer|less) than|as long as) run \d+/);
    const main = page.locator('main');
    assert.match(await main.innerText(), /settings\.optimizationLevel/);
    assert.match(await main.innerText(), /equal rows? hidden/);
    assert.ok((await page.locator('ol.causes li').count()) >= 2, 'circumstances and places');
    assert.ok((await page.locator('#h-phases').count()) === 1);
    const rows = await page.locator('main tr').count();
    await page.locator('a.btn', { hasText: 'Show equal rows too' }).click();
    await page.waitForURL('**&all=1');
    assert.ok((await page.locator('main tr').count()) > rows, 'equal rows are shown');
    const before = await page.locator('h1').innerText();
    await page.locator('a', { hasText: 'make baseline' }).click();
    await page.waitForURL((url) => url.searchParams.getAll('run')[0] === id(second) || url.searchParams.getAll('run')[0] === id(first));
    assert.notEqual(await page.locator('h1').innerText(), before, 'the other one is the baseline');
    await page.locator('#f-run').fill('3');
    await page.locator('form.ask button').click();
    assert.equal(new URL(page.url()).searchParams.getAll('run').filter(Boolean).length, 3);
    assert.match(await page.locator('h1').innerText(), /cannot be ranked/);
    assert.match(await main.innerText(), /different networks/i);
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });

  test(`${how} JavaScript: cancels, caches and a configuration over time have their pictures and numbers`, async () => {
    const page = await openPage(browser, { baseURL: server.url, javaScriptEnabled });
    await page.goto('/runs');
    await page.locator('a[href="/cancels"]').click();
    await page.waitForURL('**/cancels');
    assert.ok((await page.locator('svg.plot').count()) >= 6, 'by route, phase and GPU, each in two sizes');
    assert.match(await page.locator('main').innerText(), /demo\/densenet121/);
    assert.match(await page.locator('#by-phase').locator('xpath=ancestor::section').innerText(), /Building engine/);
    await page.locator(`a[href="/runs/${id(cancelled)}"]`).first().click();
    await page.waitForURL(`**/runs/${id(cancelled)}`);
    await page.locator('a[href^="/configurations/"]').click();
    await page.waitForURL('**/configurations/*');
    assert.match(await page.locator('h1').innerText(), /newest build/);
    await page.goto('/caches');
    assert.match(await page.locator('h1').innerText(), /had a use for a timing cache/);
    // A run's page has an island; where no script may run, its module is not fetched.
    const complaints = page.complaints.filter((it) => javaScriptEnabled || !it.includes('/pkg/'));
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
}

test('what the page says is what the API says', async () => {
  const answer = await fetch(`${server.url}/api/v1/compare?run=${id(first)}&run=${id(second)}`);
  const compared = await answer.json();
  assert.equal(compared.comparability.comparable, true);
  const named = compared.sections.flatMap((section) => section.rows.filter((row) => row.differences.some(Boolean)).map((row) => row.name));
  assert.ok(named.includes('settings.optimizationLevel'), named.join(' '));
  const csv = await (await fetch(`${server.url}/api/v1/exports/cancels`)).text();
  assert.equal(csv.trim().split('\r\n').length, 2);
  assert.ok(csv.includes(id(cancelled)));
});

test('every page is accessible, in both languages and both themes, wide and narrow', async () => {
  const page = await openPage(browser, { baseURL: server.url });
  const config = first.predicate.buildConfigHash.replace(/^sha256:/, '');
  const pair = `/compare?run=${id(first)}&run=${id(second)}&run=${id(cancelled)}`;
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const [width, height] of [[1280, 900], [390, 844]]) {
      await page.setViewportSize({ width, height });
      for (const path of ['/compare', pair, `${pair}&all=1`, '/cancels', '/caches', `/configurations/${config}`]) {
        for (const lang of ['en', 'es']) {
          await page.goto(path + (path.includes('?') ? '&' : '?') + `lang=${lang}`);
          assert.equal(await page.locator('html').getAttribute('lang'), lang);
          assert.deepEqual(await accessibilityFindings(page), [], `${path} ${lang} ${colorScheme} ${width}`);
          const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(wider <= 0, `${path} ${lang} at ${width}: ${wider} px too wide`);
        }
      }
    }
  }
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});
