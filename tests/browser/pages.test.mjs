// Every page that the portal has: in both languages, light and dark, wide and narrow, with scripts and without, it is
// accessible (WCAG 2.2 AA by axe), fits its window, and can be got about in with the keyboard. A page that is added to
// the table of paths and not to this list fails the test.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { enrolledAgent } from './builds.mjs';
import { pagePaths, pathOf } from './pages.mjs';
import { decide, gather, signedIn, startWithRoute } from './routes.mjs';
import { accessibilityFindings, openBrowser, withoutScripts } from './support.mjs';

let browser, server, agent, addresses;

before(async () => {
  browser = await openBrowser();
  server = await startWithRoute({ ana: 'approver' });
  agent = await enrolledAgent(server, 'builder-7');
  const built = (await agent.build('resnet50')).json;
  await agent.build('resnet50');
  await agent.acta(['acceptance', '--scenario', 'cold_timing_cache', '--json']).catch(() => {});
  const bundle = await gather(server, 'looked at');
  const page = await signedIn(browser, server, 'ana');
  await decide(page, bundle, 'hold', { reason_code: 'other', text: 'somebody has to look', hold_owner: 'ana', review_at: '2099-01-01' });
  const done = new URL(page.url()).pathname;
  await page.context().close();
  addresses = await addressesOf({ run: built.predicate.run.id, config: built.predicate.buildConfigHash, entry: built.entryIndex, bundle, done });
}, { timeout: 240_000 });

after(async () => {
  await browser?.close();
  await server?.stop();
  await agent?.close();
});

async function addressesOf({ run, config, entry, bundle, done }) {
  const admin = await signedIn(browser, server, 'adam');
  await admin.goto('/people/accounts/ana');
  const token = admin.locator('form[action="/people/changes"]:has(input[name=label])').first();
  await token.locator('input[name=label]').fill('a program');
  await token.locator('button').first().click();
  await admin.waitForURL('**/people/done/*');
  const event = new URL(admin.url()).pathname;
  await admin.context().close();
  return {
    '/': '/',
    '/runs': '/runs',
    '/runs/{id}': `/runs/${run}`,
    '/compare': '/compare?run=1&run=2',
    '/configurations/{digest}': `/configurations/${config.replace(/^sha256:/, '')}`,
    '/cancels': '/cancels',
    '/caches': '/caches',
    '/acceptance': '/acceptance',
    '/acceptance/{id}': '/acceptance/1',
    '/runs/{id}/live': `/runs/${run}/live`,
    '/runs/{id}/cancel': `/runs/${run}/cancel`,
    '/live': '/live',
    '/routes': '/routes',
    '/routes/{name}': '/routes/mini',
    '/routes/{name}/decide': `/routes/mini/decide?kind=lift_hold&bundle=${bundle}`,
    '/routes/{name}/rollback': '/routes/mini/rollback',
    '/routes/{name}/confirm': '/routes/mini/confirm',
    '/routes/{name}/done/{entry}': done,
    '/routes/{name}/live': '/routes/mini/live?at=2026-11-29',
    '/routes/{name}/restores': '/routes/mini/restores',
    '/entries/{which}': `/entries/${entry}`,
    '/ledger': '/ledger',
    '/agents/{name}': '/agents/builder-7',
    '/bundles/{digest}': `/bundles/${bundle}?route=mini`,
    // What is found alone is gone to: this finds nothing.
    '/search': '/search?q=0123456789abcdef',
    '/d/sha256/{digest}': `/d/sha256/${bundle}`,
    '/help': '/help',
    '/help/{guide}': '/help/builders',
    '/account': '/account',
    '/people': '/people',
    '/people/accounts/{name}': '/people/accounts/ana',
    '/people/done/{event}': event,
    '/sign-in': '/sign-in',
  };
}

/** Everything in the window's width, under one first heading, in the language that was asked for. */
async function isWhole(page, lang, what) {
  assert.equal(await page.locator('html').getAttribute('lang'), lang, what);
  assert.equal(await page.locator('main h1').count(), 1, `${what}: one first heading`);
  assert.match(await page.title(), /\S+ · Acta$/, what);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wider <= 0, `${what}: ${wider} px too wide`);
}

/** Controls and links that stand alone are at least 24 px in each direction (WCAG 2.5.8). */
async function areLargeEnough(page, what) {
  const small = await page.evaluate(() => {
    const alone = 'nav a, button, select, input:not([type=hidden]), summary, .btn, .acts a';
    return [...document.querySelectorAll(alone)]
      .filter((it) => it.checkVisibility({ visibilityProperty: true }) && !it.closest('p:not(.acts)'))
      .map((it) => ({ box: (it.closest('label') ?? it).getBoundingClientRect(), said: it.outerHTML.slice(0, 80) }))
      .filter(({ box }) => box.width > 1 && (box.height < 24 || box.width < 24))
      .map(({ box, said }) => `${box.width.toFixed(1)}x${box.height.toFixed(1)} ${said}`);
  });
  assert.deepEqual(small, [], what);
}

/** Without JavaScript these load themselves again, until somebody pauses that. */
const canBePaused = new Set(['/live', '/runs/{id}/live']);

/** The person who sees a page: accounts are the admin's. */
const seenBy = (path) => (path.startsWith('/people') ? 'adam' : 'ana');

test('each path of the portal is looked at', () => {
  assert.deepEqual(Object.keys(addresses).sort(), pagePaths().sort());
  for (const [path, address] of Object.entries(addresses)) assert.equal(pathOf(address), path);
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with' : 'without';
  test(`${how} JavaScript every page is whole, accessible and fits, in both languages`, { timeout: 600_000 }, async () => {
    for (const person of ['ana', 'adam']) {
      const page = await signedIn(browser, server, person, { javaScriptEnabled });
      // What axe looks at.
      const looked = javaScriptEnabled ? page : await signedIn(browser, server, person);
      if (!javaScriptEnabled) await withoutScripts(looked);
      const mine = Object.entries(addresses).filter(([path]) => seenBy(path) === person);
      for (const [path, address] of mine) {
        for (const lang of ['en', 'es']) {
          // What a page without scripts shows is the same HTML: its looks are judged once.
          for (const colorScheme of javaScriptEnabled ? ['light', 'dark'] : ['light']) {
            await page.emulateMedia({ colorScheme });
            for (const [width, height] of [[1280, 900], [390, 844]]) {
              const what = `${path} ${lang} ${colorScheme} ${width}`;
              await page.setViewportSize({ width, height });
              const asked = address + (address.includes('?') ? '&' : '?') + `lang=${lang}`;
              const answer = await page.goto(asked);
              assert.ok(answer.status() < 400 || path === '/runs/{id}/live', `${what}: ${answer.status()}`);
              await isWhole(page, lang, what);
              await areLargeEnough(page, what);
              if (looked !== page) {
                await looked.setViewportSize({ width, height });
                await looked.goto(asked);
                assert.equal(await looked.locator('h1').innerText(), await page.locator('h1').innerText(), what);
              }
              const findings = await accessibilityFindings(looked);
              assert.deepEqual(findings.filter((it) => !(it.startsWith('meta-refresh:') && canBePaused.has(path))), [], what);
              // A page that loads itself again is all right only where that can be turned off (WCAG 2.2.1).
              if (findings.length) assert.ok(await looked.locator('a[href*="updates=paused"]').count(), what);
            }
          }
        }
      }
      await page.context().close();
      if (looked !== page) await looked.context().close();
    }
  });
}

test('the keyboard leads to the content first, and shows where it is', async () => {
  const page = await signedIn(browser, server, 'ana');
  for (const address of ['/runs', '/routes/mini', '/help']) {
    await page.goto(address);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('href')), '#main', address);
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main', address);
    await page.goto(address);
    for (let presses = 0; presses < 40; presses += 1) {
      await page.keyboard.press('Tab');
      const focus = await page.evaluate(() => {
        const it = document.activeElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(it);
        return { said: it.outerHTML.slice(0, 80), body: it === document.body, seen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
      });
      if (focus.body) break;
      assert.ok(focus.seen, `${address}: the focus is not to be seen on ${focus.said}`);
    }
  }
  await page.context().close();
});

test('a route and a trace print as a record', async () => {
  const page = await signedIn(browser, server, 'ana');
  await page.emulateMedia({ media: 'print' });
  for (const path of ['/routes/{name}', '/bundles/{digest}']) {
    await page.goto(addresses[path]);
    for (const gone of ['.masthead nav', '.search', '.who', '.help', '.acts']) {
      assert.equal(await page.locator(gone).first().isVisible(), false, `${path}: ${gone} is not printed`);
    }
    const foot = page.locator('main > section').last();
    const said = await foot.innerText();
    assert.match(said, /[0-9a-f]{64}/, `${path}: the root in full`);
    assert.match(said, /acta (verify|pack)/, `${path}: the command that checks it`);
    assert.ok(said.includes(server.url), `${path}: where it came from`);
    const short = await page.locator('main .digest[title]').evaluateAll((all) =>
      all.filter((it) => !getComputedStyle(it, '::after').content.includes('title') && !/[0-9a-f]{64}/.test(getComputedStyle(it, '::after').content)).length);
    assert.equal(short, 0, `${path}: every digest is in full`);
    const head = await page.locator('main thead').first().evaluate((it) => getComputedStyle(it).display).catch(() => 'table-header-group');
    assert.equal(head, 'table-header-group', `${path}: heads repeat on every sheet`);
    const pdf = await page.pdf({ format: 'A4' });
    assert.ok(pdf.subarray(0, 5).toString() === '%PDF-' && pdf.length > 10_000, path);
  }
  await page.context().close();
});
