// What the portal costs on the wire: pages are short, the wasm is small as it is sent, and only pages with an island ask for
// it.

import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, test } from 'node:test';

import { enrolledAgent } from './builds.mjs';
import { openBrowser, openPage, startServer } from './support.mjs';

/** The most that the wasm, and a page with its style sheets, may take on the wire, in bytes. */
const MOST = 250_000;
const MOST_OF_A_PAGE = 60_000;

let browser, server, agent;

before(async () => {
  browser = await openBrowser();
  server = await startServer();
  // Its key is the log's first entry.
  agent = await enrolledAgent(server, 'builder-7');
}, { timeout: 60_000 });

after(async () => {
  await browser?.close();
  await server?.stop();
  await agent?.close();
});

/** The bytes of an answer as they come over the wire. */
function onTheWire(url) {
  const headers = { 'accept-encoding': 'gzip', 'sec-fetch-site': 'same-origin' };
  return new Promise((done, failed) => {
    get(url, { headers }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk) => (bytes += chunk.length));
      answer.on('end', () => done({ bytes, encoding: answer.headers['content-encoding'] }));
    }).on('error', failed);
  });
}

test('the wasm is small and compressed', async () => {
  const { bytes, encoding } = await onTheWire(`${server.url}/pkg/acta_app_bg.wasm`);
  assert.equal(encoding, 'gzip');
  assert.ok(bytes > 1_000 && bytes < MOST, `${bytes} bytes`);
});

test('a page with its style sheets is short', async () => {
  for (const path of ['/runs', '/live', '/ledger', '/routes', '/cancels', '/caches', '/search', '/help', '/entries/0']) {
    const html = await (await fetch(server.url + path)).text();
    const sheets = [...html.matchAll(/href="(\/assets\/[^"]+\.css[^"]*)"/g)].map(([, address]) => address);
    assert.ok(sheets.length > 0, path);
    const parts = await Promise.all([path, ...sheets].map((address) => onTheWire(server.url + address)));
    assert.ok(parts.every(({ encoding }) => encoding === 'gzip'), path);
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    assert.ok(bytes < MOST_OF_A_PAGE, `${path}: ${bytes} bytes`);
  }
});

test('only a page with an island asks for it', async () => {
  for (const [path, wanted] of [['/runs', false], ['/ledger', false], ['/routes', false], ['/entries/0', true]]) {
    const page = await openPage(browser, { baseURL: server.url });
    const asked = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(path, { waitUntil: 'networkidle' });
    assert.equal(asked.some((name) => name.endsWith('.wasm')), wanted, `${path}: ${asked}`);
    await page.context().close();
  }
});
