// `node tests/browser/screenshots.mjs [URL [PATH...]]`: pictures of the pages of a running portal, wide and narrow, light
// and dark, under target/screenshots. Without paths it follows the portal's own links, as the demo's reviewer and admin
// where their passwords are at hand (ACTA_DATA_DIR/demo/accounts, from `make run`), up to two of each of the portal's
// paths, and says which paths it found no page of.

import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { pagePaths, pathOf } from './pages.mjs';
import { openBrowser, openPage, root, target } from './support.mjs';

const [url = 'http://127.0.0.1:8780', ...paths] = process.argv.slice(2);
const ofEach = 2;
const folder = join(target, 'screenshots');
const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } };
const people = ['reviewer', 'admin'];

try {
  await fetch(url);
} catch {
  console.error(`screenshots: nothing answers at ${url}: start the portal with "make run" first`);
  process.exit(1);
}

/** The demo's passwords by account. */
function passwords() {
  const file = join(root, process.env.ACTA_DATA_DIR || 'var', 'demo/accounts');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return Object.fromEntries(lines.map((line) => line.split(' ')));
}

async function signIn(page, name, password) {
  await page.goto(new URL('/sign-in', url).href);
  await page.locator('input[name=name]').fill(name);
  await page.locator('input[name=password]').fill(password);
  await page.locator('form[action="/sign-in"] button').click();
  await page.waitForLoadState('load');
}

/** What can be reached from a page: links, and the review that the form of a decision leads to. */
async function onwards(page) {
  // A link of an SVG has no text as its href.
  const links = await page.$$eval('a[href]:not([download])', (all) =>
    all.map((a) => new URL(a.getAttribute('href'), document.baseURI).href.split('#')[0]));
  const reviews = await page.$$eval('form[action$="/decide"]', (forms) =>
    forms.flatMap((form) => {
      const [kind, bundle] = [form.querySelector('[name=kind]'), form.querySelector('[name=bundle]')];
      return kind && bundle ? [`${form.action}?kind=${kind.value}&bundle=${bundle.value}`] : [];
    }));
  return [...links, ...reviews].map((href) => new URL(href)).filter(({ origin }) => origin === new URL(url).origin)
    .map(({ pathname, search }) => pathname + search);
}

/** Pictures of one page in every look. Returns what can be reached from it, and none where it is no page. */
async function picture(page, path, name) {
  const response = await page.goto(new URL(path, url).href);
  await page.waitForLoadState('load');
  if (!response?.headers()['content-type']?.startsWith('text/html')) return undefined;
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport);
      await page.screenshot({ path: join(folder, `${name}.${size}.${colorScheme}.png`), fullPage: true });
    }
  }
  return onwards(page);
}

await mkdir(folder, { recursive: true });
const browser = await openBrowser();
const crawl = paths.length === 0;
const known = passwords();
const taken = new Map();
let complaints = 0;
let pages = 0;
for (const person of crawl ? [undefined, ...people.filter((name) => known[name])] : [undefined]) {
  const page = await openPage(browser);
  if (person) await signIn(page, person, known[person]);
  const found = crawl ? ['/', '/sign-in', '/help'] : [...paths];
  const seen = new Set(found);
  for (let next = 0; next < found.length; next += 1) {
    const path = found[next];
    const kind = pathOf(path);
    const before = taken.get(kind) ?? [];
    // What somebody else has seen is seen again: it shows, and leads to, what this person may.
    if (crawl && !before.includes(path) && (!kind || before.length >= ofEach)) continue;
    const name = path.replace(/^\/+|\/+$/g, '').replace(/[^\w.-]+/g, '_').slice(0, 120) || 'home';
    const links = await picture(page, path, name);
    if (!links) continue;
    pages += before.includes(path) ? 0 : 1;
    taken.set(kind, [...new Set([...before, path])]);
    for (const link of crawl ? links : []) {
      if (!seen.has(link)) found.push(link);
      seen.add(link);
    }
  }
  for (const complaint of page.complaints) console.error(`${person ?? 'nobody'}: ${complaint}`);
  complaints += page.complaints.length;
  await page.context().close();
}
await browser.close();
const missing = crawl ? pagePaths().filter((path) => !taken.has(path)) : [];
if (missing.length) console.error(`no page was found of: ${missing.join(' ')}`);
console.log(`${pages} pages in ${folder}, ${complaints} complaints`);
