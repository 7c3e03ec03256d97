// Real builds for the portal's tests: an agent with a home of its own, TensorRT-RTX, models of the onnx wheel.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { program, run } from './support.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The path of a model of the onnx wheel, like `densenet121`. */
function model(name) {
  const lib = join(root, '.venv/lib');
  const pythons = existsSync(lib) ? readdirSync(lib) : [];
  const paths = pythons.map((python) =>
    join(lib, python, 'site-packages/onnx/backend/test/data/light', `light_${name}.onnx`),
  );
  const found = paths.find((path) => existsSync(path));
  if (!found) throw new Error(`light_${name}.onnx is not there: run scripts/setup`);
  return found;
}

/**
 * An agent that is enrolled with the server. `acta` runs the program to its end, `start` leaves it running and returns its
 * process; `close` removes the agent's home.
 */
export async function enrolledAgent(server, label) {
  const home = await mkdtemp(join(tmpdir(), 'acta-agent-'));
  const env = { ACTA_HOME: home };
  await run(program('acta'), ['init'], { env });
  const token = (await server.admin(['agent', 'token', '--label', label, '--print-only'])).trim();
  await run(program('acta'), ['enrol', '--server', server.url, '--token', token], { env });

  /** Builds; `interruptAfter` ms sends Ctrl-C's signal. Returns exit code and the JSON that was printed. */
  async function build(name, { args = [], interruptAfter } = {}) {
    const output = join(home, `${name}.plan`);
    const child = spawn(program('acta'), ['build', model(name), '-o', output, '--route', `demo/${name}`, '--json', ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
    const interrupt = interruptAfter && setTimeout(() => child.kill('SIGINT'), interruptAfter);
    const [code, signal] = await once(child, 'close');
    clearTimeout(interrupt);
    if (![0, 4].includes(code)) throw new Error(`acta build ${name}: ${signal ?? `exit ${code}`}\n${err}${out}`);
    return { code, json: JSON.parse(out) };
  }

  /** Cancels a build half-way. The library ignores a cancel after its last step: then it is asked earlier. */
  async function cancelledBuild(name, wholeMs) {
    for (const share of [0.4, 0.25, 0.15, 0.08]) {
      const ended = await build(name, { interruptAfter: wholeMs * share });
      if (ended.code === 4) return ended.json;
    }
    throw new Error('each of the builds completed before the cancel was seen');
  }

  const acta = (args) => run(program('acta'), args, { env });
  const start = (args) => spawn(program('acta'), args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  return { home, acta, start, build, cancelledBuild, close: () => rm(home, { recursive: true, force: true }) };
}
