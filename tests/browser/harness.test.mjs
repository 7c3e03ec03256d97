// The harness itself: that it sees what it is there to see, before any page of the portal is judged with it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { accessibilityFindings, freePort, openBrowser, openPage, run, startProcess } from './support.mjs';

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

// A stand-in for the server: any path answers with the page in its argument.
const answering = `
  const [port, page] = process.argv.slice(1);
  require('node:http').createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.setHeader('content-security-policy', "script-src 'self'");
    response.end(page);
  }).listen(Number(port), '127.0.0.1');
  process.on('SIGTERM', () => process.exit(0));
`;

async function serving(html, look) {
  const port = await freePort();
  const server = await startProcess(process.execPath, ['-e', answering, String(port), html], port);
  const page = await openPage(browser);
  try {
    await page.goto(`http://127.0.0.1:${port}/`);
    await look(page);
  } finally {
    await page.context().close();
    assert.equal(await server.stop(), 'exit 0');
  }
}

test('a page runs its scripts and can be clicked', async () => {
  const page = await openPage(browser);
  await page.goto('data:text/html,<button onclick="this.textContent = 1 + 1">count</button>');
  await page.getByRole('button').click();
  assert.equal(await page.getByRole('button').textContent(), '2');
  assert.deepEqual(page.complaints, []);
});

test('a page without JavaScript runs none', async () => {
  const page = await openPage(browser, { javaScriptEnabled: false });
  await page.goto('data:text/html,<p>before</p><script>document.querySelector("p").textContent = "after"</script>');
  assert.equal(await page.textContent('p'), 'before');
});

test('errors of the page are collected', async () => {
  const page = await openPage(browser);
  await page.goto('data:text/html,<script>console.error("told"); throw new Error("thrown")</script>');
  assert.deepEqual(page.complaints.sort(), ['console: told', 'exception: thrown']);
});

test('axe finds what is wrong and nothing on a sound page, under a strict content security policy', async () => {
  await serving('<!doctype html><html lang="en"><title>t</title><main><h1>h</h1><img src="data:,"></main>', async (page) => {
    const findings = await accessibilityFindings(page);
    assert.equal(findings.length, 1, findings.join('\n'));
    assert.match(findings[0], /^image-alt: /);
  });
  await serving('<!doctype html><html lang="en"><title>t</title><main><h1>h</h1></main>', async (page) => {
    assert.deepEqual(await accessibilityFindings(page), []);
  });
});

test('a server that ends at once is reported with what it said', async () => {
  const port = await freePort();
  const script = 'console.error("no such folder"); process.exit(3)';
  await assert.rejects(startProcess(process.execPath, ['-e', script], port), /exit 3\n[^]*no such folder/);
  await assert.rejects(startProcess('/no/such/program', [], port), /ENOENT/);
});

test('a program that fails is reported with what it said, one that reads gets its input', async () => {
  const reading = 'process.stdin.pipe(process.stdout)';
  assert.equal(await run(process.execPath, ['-e', reading], { input: 'secret\n' }), 'secret\n');
  await assert.rejects(run(process.execPath, ['-e', 'console.log("why"); process.exit(2)']), /exit 2\n[^]*why/);
});
