// `node tests/browser/screenshots.mjs [URL [PATH...]]`: pictures of the pages of a running portal, wide and narrow,
// light and dark, under target/screenshots. Without paths it follows the portal's own links, so a new page is in it.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { openBrowser, openPage, target } from './support.mjs';

const [url = 'http://127.0.0.1:8780', ...paths] = process.argv.slice(2);
const most = 40;
const folder = join(target, 'screenshots');
const looks = [
  ['wide', { viewport: { width: 1280, height: 800 } }],
  ['narrow', { viewport: { width: 320, height: 640 } }],
  ['dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
];

try {
  await fetch(url);
} catch {
  console.error(`screenshots: nothing answers at ${url}: start the portal with "make run" first`);
  process.exit(1);
}

await mkdir(folder, { recursive: true });
const browser = await openBrowser();
const crawl = paths.length === 0;
const found = crawl ? ['/'] : paths;
let complaints = 0;
for (let next = 0; next < found.length && next < most; next += 1) {
  const path = found[next];
  const name = path.replace(/^\/+|\/+$/g, '').replace(/[^\w.-]+/g, '_') || 'home';
  for (const [look, options] of looks) {
    const page = await openPage(browser, options);
    const response = await page.goto(new URL(path, url).href);
    await page.waitForLoadState('load');
    const html = response?.headers()['content-type']?.startsWith('text/html');
    if (html) {
      await page.screenshot({ path: join(folder, `${name}.${look}.png`), fullPage: true });
      // One of a kind is enough: what differs by query or fragment alone is the same page.
      // A link of an SVG has no text as its href.
      const links = await page.$$eval('a[href]:not([download])', (all) =>
        all.map((a) => new URL(a.getAttribute('href'), document.baseURI).href.split(/[?#]/)[0]));
      for (const link of crawl ? links : []) {
        const { origin, pathname } = new URL(link);
        if (origin === new URL(url).origin && !found.includes(pathname)) found.push(pathname);
      }
    }
    for (const complaint of page.complaints) console.error(`${path} (${look}): ${complaint}`);
    complaints += page.complaints.length;
    await page.context().close();
    if (!html) break;
  }
}
await browser.close();
console.log(`${Math.min(found.length, most)} pages in ${folder}, ${complaints} complaints`);
