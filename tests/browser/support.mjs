// What every browser test needs: a real Chromium, a real server on a free port with a folder of its own, and ears for
// what the page complains about.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import axe from 'axe-core';
import { chromium } from 'playwright-core';

/** The workspace. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Where cargo and scripts/wasm put what they build. */
export const target = resolve(root, process.env.CARGO_TARGET_DIR || 'target');

/** A program that cargo built, `acta` or `acta-server`. */
export function program(name) {
  return join(target, 'debug', name);
}

// --- Browser ----------------------------------------------------------------------------------------------------------

/** Starts Chromium with a profile of its own, which is gone when it is closed. */
export function openBrowser() {
  return chromium.launch({
    executablePath: process.env.ACTA_CHROMIUM || '/usr/bin/chromium',
    args: [
      '--headless',
      // Tests run as root in containers, where Chromium's sandbox cannot be set up; all it opens is our own pages.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      // Chromium's own traffic: a test must not depend on what is outside.
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/**
 * Opens a page in a context of its own (`options` as for playwright's newContext).
 * `page.complaints` collects what a person would never see but must not happen: errors on the console, exceptions,
 * requests that failed.
 */
export async function openPage(browser, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error') page.complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => page.complaints.push(`exception: ${error.message}`));
  page.on('requestfailed', (request) => {
    // A page that is left aborts what it was still loading (a live stream for one).
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') {
      page.complaints.push(`request: ${request.url()} ${request.failure()?.errorText}`);
    }
  });
  return page;
}

/** What axe finds against WCAG 2.2 AA on the page, one line a finding. */
export async function accessibilityFindings(page) {
  // Evaluated by the debugger rather than added as a <script>: the portal's content security policy allows none.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }),
  );
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help} (${target.join(' ')})`));
}

/**
 * Makes a page show what a browser without JavaScript shows, in one that has it: axe waits by timers, and those run only
 * where scripts do.
 */
export async function withoutScripts(page) {
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.continue();
    const response = await route.fetch();
    const html = (await response.text()).replace(/<script[\s\S]*?<\/script>/g, '').replace(/<\/?noscript[^>]*>/g, '');
    return route.fulfill({ response, body: html });
  });
}

// --- Server -----------------------------------------------------------------------------------------------------------

/** Ports below those that the system gives to whoever does not care which; programs at the same time begin elsewhere. */
const ports = { first: 10_000, count: 22_000 };
let nextPort = (process.pid * 997) % ports.count;

/**
 * A port of the loopback interface that nobody listens on, for a server that is started later. One of the system's choice
 * would not do: once it is let go, the next one who asks may get it as well.
 */
export async function freePort() {
  for (let tries = 0; tries < ports.count; tries += 1) {
    const port = ports.first + (nextPort++ % ports.count);
    const listener = createServer().listen(port, '127.0.0.1');
    const free = await once(listener, 'listening').then(() => true, () => false);
    if (!free) continue;
    listener.close();
    await once(listener, 'close');
    return port;
  }
  throw new Error('every port is taken');
}

/** Runs a program to its end and returns what it printed; an exit code other than 0 is an error with all it said. */
export async function run(command, args, { input = '', env = {} } = {}) {
  const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env } });
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  // A program that ends without reading its input closes the pipe under us; its exit code says what matters.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${signal ?? `exit ${code}`}\n${err()}${out()}`);
  return out();
}

/** Starts a program and waits until it accepts connections on the port; `stop` ends it as an operator would. */
export async function startProcess(command, args, port, { env = {} } = {}) {
  const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  const said = () => err() + out();
  const ended = new Promise((done) => {
    child.once('error', (error) => done(error.message));
    child.once('close', (code, signal) => done(signal ?? `exit ${code}`));
  });
  let over;
  ended.then((how) => (over = how));

  const until = Date.now() + 20_000;
  while (!(await accepts(port))) {
    if (over) throw new Error(`${command} ended: ${over}\n${said()}`);
    if (Date.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`${command} does not listen on port ${port}\n${said()}`);
    }
    await new Promise((done) => setTimeout(done, 25));
  }
  return {
    said,
    async stop() {
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
      const how = await ended;
      clearTimeout(patience);
      return how;
    },
  };
}

/**
 * Starts `acta-server` on a free port with an empty folder of its own.
 * `users`: `[{ name, role, password }]`, made before it serves. `args`: what follows `serve --listen ...`.
 */
export async function startServer({ users = [], args = ['--public-read'], env: more = {} } = {}) {
  const env = { ACTA_SITE_DIR: join(target, 'site'), ...more };
  const command = program('acta-server');
  const data = await mkdtemp(join(tmpdir(), 'acta-browser-'));
  const admin = (rest, input) => run(command, ['--data-dir', data, ...rest], { input, env });
  try {
    await admin(['migrate']);
    for (const { name, role, password } of users) {
      await admin(['user', 'add', name, '--role', role, '--password-stdin'], `${password}\n`);
    }
    const port = await freePort();
    const listen = `127.0.0.1:${port}`;
    const server = await startProcess(command, ['--data-dir', data, 'serve', '--listen', listen, ...args], port, { env });
    return {
      url: `http://${listen}`,
      data,
      admin,
      said: server.said,
      async stop() {
        const how = await server.stop();
        await rm(data, { recursive: true, force: true });
        return how;
      },
    };
  } catch (error) {
    await rm(data, { recursive: true, force: true });
    throw error;
  }
}

function collect(stream) {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  return () => text;
}

async function accepts(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
