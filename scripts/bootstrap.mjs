// Makes a fresh clone runnable: packages, Prisma client, bundles. Each step is skipped when nothing it
// depends on has changed. Plain JavaScript without dependencies: it runs before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extraGroups, groups, isBuilt, workspaceFolders } from './build.mjs';
import { writeBuildInfo } from './build-info.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pnpmVersion = 'pnpm@10.34.9';
const oldestNode = [20, 19];
const farewellMs = 5000;

/** The bootstrap was asked to stop; nothing is left running. */
export class InterruptedError extends Error {
  name = 'InterruptedError';
}

/**
 * Installs, generates and builds what is missing or out of date.
 * `packages` names what is installed: what runs (the `dependencies` of the manifests), or everything, with what tests, documents
 * and releases need (their `devDependencies`). `log` gets one line a step that did something; `signal` ends a step under way and all it started;
 * `bundles` names the groups of scripts/build.mjs that are needed; none leaves dist/ as it is;
 * `beforeInstalling` runs first when packages have to be installed: what it refuses need not wait for them.
 * @param {{ packages?: 'run' | 'everything', log?: (line: string) => void, signal?: AbortSignal,
 *   bundles?: (keyof typeof groups)[], beforeInstalling?: () => Promise<void> }} [options]
 * @throws {Error} with one line that says what to do, {InterruptedError} after `signal`.
 */
export async function bootstrap({
  packages = 'everything',
  log = () => {},
  signal,
  bundles = ['service', 'app', ...extraGroups],
  beforeInstalling,
} = {}) {
  checkNode();
  await step(installStep(packages, beforeInstalling), { log, signal });
  // What runs has the types of rows erased, and no Prisma.
  if (packages === 'everything') await step(generateStep(), { log, signal });
  const stale = bundles.filter((group) => !isBuilt(group));
  if (stale.length > 0) await buildApart(stale, signal);
  writeBuildInfo(root);
}

/**
 * The life of a script: its exit code, or its error as one line and exit 1 (130 when interrupted).
 * @param {() => Promise<number>} body gives the exit code
 */
export async function runScript(body) {
  try {
    process.exitCode = await body();
  } catch (error) {
    const interrupted = error instanceof InterruptedError;
    if (!interrupted) console.error(`comanda: ${error?.message ?? error}`);
    process.exitCode = interrupted ? 130 : 1;
  }
}

/**
 * Runs `body` with a signal that aborts on the first SIGINT, SIGTERM or SIGHUP; until it is done, none of
 * them ends this process, however often they come.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} body
 * @returns {Promise<T>}
 */
export async function withSignals(body) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of names) process.on(name, abort);
  try {
    return await body(controller.signal);
  } finally {
    for (const name of names) process.off(name, abort);
  }
}

/** Runs Node with `args` at the root and gives its exit code; a signal to us ends it too. */
export function runNode(args, { signal, env = {} } = {}) {
  return runCommand(process.execPath, args, { signal, env, stdio: 'inherit' }).then(({ code }) => code);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const newEnough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  if (!newEnough) {
    throw new Error(`Node ${oldestNode.join('.')} or newer is needed, this is ${process.versions.node}`);
  }
}

/**
 * A step runs when what it makes is missing, or its fingerprint differs from the stamp, which is written last: what `run`
 * gives, or the fingerprint before it.
 */
async function step({ stamp, makes = stamp, fingerprint, title, run }, { log, signal }) {
  if (signal?.aborted) throw new InterruptedError('interrupted');
  const wanted = fingerprint();
  if (existsSync(makes) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const began = Date.now();
  rmSync(stamp, { force: true });
  const made = await run({ log, signal });
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, made ?? wanted);
  if (title.done) log(`${title.done} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}

function installStep(packages, before = async () => {}) {
  const manifests = workspaceFolders().map((folder) => `${folder}/package.json`);
  const inputs = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests];
  const stamp = join(root, 'node_modules/.comanda-installed');
  // What is installed stays: a clone that has everything keeps everything up to date.
  const hasEverything = existsSync(stamp) && !readFileSync(stamp, 'utf8').startsWith('run ');
  const kind = hasEverything ? 'everything' : packages;
  return {
    stamp,
    title: { done: 'packages installed' },
    fingerprint: () =>
      `${kind} ${hashFiles(inputs, `${process.platform}-${process.arch}`, { versions: false })}`,
    run: async ({ log, signal }) => {
      await before();
      log(`installing ${kinds[kind].what} (the first time takes a while)`);
      await install(kinds[kind].option, { log, signal });
    },
  };
}

const kinds = {
  run: { what: 'packages', option: '--prod' },
  everything: { what: 'the packages of tests, documents and releases, too', option: '--prod=false' },
};

async function install(option, { log, signal }) {
  const args = [
    '-y',
    pnpmVersion,
    'install',
    '--frozen-lockfile',
    '--prefer-offline',
    '--reporter=append-only',
  ];
  // pnpm would ask a terminal before replacing folders.
  const settings = [option, '--config.confirm-modules-purge=false', '--config.ignore-scripts=false'];
  const { code, output } = await runCommand('npx', [...args, ...settings], {
    signal,
    env: { NODE_ENV: 'development', CI: 'true' },
    onLine: progressLog(log),
  });
  if (code !== 0) throw new Error(`the packages could not be installed:\n${tail(output)}`);
}

function generateStep() {
  const output = join(root, 'packages/db/src/generated');
  const inputs = ['prisma/schema.prisma', 'node_modules/prisma/package.json'];
  return {
    stamp: join(output, 'stamp'),
    title: { done: 'Prisma client generated' },
    makes: join(output, 'prisma/client.ts'),
    fingerprint: () => hashFiles(inputs),
    run: async ({ signal }) => {
      const args = ['node_modules/prisma/build/index.js', 'generate'];
      const { code, output: words } = await runCommand(process.execPath, args, {
        signal,
        // Any existing file for an engine keeps the command line from looking for one on the network.
        env: {
          PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
          CHECKPOINT_DISABLE: '1',
          PRISMA_HIDE_UPDATE_MESSAGE: '1',
        },
      });
      if (code !== 0) throw new Error(`prisma generate failed:\n${tail(words)}`);
    },
  };
}

/** The builder is a process of its own: neither it nor its bundler stays with what it built. */
async function buildApart(groups, signal) {
  if (signal?.aborted) throw new InterruptedError('interrupted');
  const { code, output } = await runCommand(process.execPath, ['scripts/build-groups.mjs', ...groups], {
    signal,
  });
  if (code !== 0) throw new Error(output.trim());
}

/** `versions: false` ignores the versions of our own packages, on which no installed package depends. */
function hashFiles(paths, more = '', { versions = true } = {}) {
  const hash = createHash('sha256').update(more);
  for (const path of paths.filter((each) => existsSync(join(root, each)))) {
    const text = readFileSync(join(root, path), 'utf8');
    hash.update(`\0${path}\0`).update(versions ? text : text.replace(/^ {2}"version": .*$/m, ''));
  }
  return hash.digest('hex');
}

/**
 * Runs a command, at the root unless `cwd` says otherwise, in a group of its own, so that a signal to us can end all of
 * it; gives its exit code and what it printed.
 */
export function runCommand(
  command,
  args,
  { signal, env = {}, cwd = root, onLine = () => {}, stdio = ['ignore', 'pipe', 'pipe'] },
) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio, detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
        for (const line of chunk.split('\n')) if (line.trim()) onLine(line.trim());
      });
    }
    let farewell;
    const stop = () => {
      signalGroup(child, 'SIGTERM');
      farewell = setTimeout(() => signalGroup(child, 'SIGKILL'), farewellMs);
    };
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    child.on('error', (error) => reject(new Error(`${command} cannot be run: ${error.message}`)));
    child.on('close', (code) => {
      clearTimeout(farewell);
      signal?.removeEventListener('abort', stop);
      if (signal?.aborted) reject(new InterruptedError('interrupted'));
      else resolve({ code: code ?? 1, output });
    });
  });
}

function signalGroup(child, name) {
  try {
    process.kill(-child.pid, name);
  } catch {
    // The group is gone.
  }
}

/** Of pnpm's chatter, what a waiting person wants: how far it is, now and then, and what it refuses. */
function progressLog(log) {
  let last = Date.now();
  return (line) => {
    if (/ERR_/.test(line)) log(line);
    const [, reused, downloaded] = /^Progress:.* reused (\d+), downloaded (\d+)/.exec(line) ?? [];
    if (downloaded === undefined || Date.now() - last < 2000) return;
    last = Date.now();
    log(`${Number(reused) + Number(downloaded)} packages so far`);
  };
}

function tail(text) {
  return text.trim().split('\n').slice(-20).join('\n');
}
