import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { restartsAfterEdits } from '../dev-restart.ts';
import { median } from '../load.ts';
import { figureRow, type Row } from '../result.ts';
import type { Part } from './part.ts';

/** Commands that are waited for by a person: the operator's, and the integrator's file. */
const commandLines: readonly [name: string, bundle: string, argv: readonly string[]][] = [
  ['comanda --help', 'comanda.js', ['--help']],
  ['comanda keys list', 'comanda.js', ['keys', 'list']],
  ['the file for integrators: comanda.mjs --help', 'docs/comanda.mjs', ['--help']],
];

/** `npm start` until the first request is served, `npm run dev` after an edit, and what the command line takes. */
export const start: Part = {
  name: 'start',
  summary:
    'npm start: in a fresh clone, and the second time; npm run dev after an edit; commands of the command line',
  async run({ setup, effort, small, log }) {
    const dataDir = join(setup.directory, 'started');
    const fresh = await startOnce(repositoryRoot, dataDir);
    const seconds: number[] = [];
    for (let repeat = 0; repeat < (small ? 1 : effort.repeats); repeat += 1)
      seconds.push(await startOnce(repositoryRoot, dataDir));
    const again = figureRow(
      'start',
      'npm start, second time: ready',
      { most: 2, unit: ' s' },
      median(seconds),
      `with new data ${fresh.toFixed(1)} s`,
    );
    log('npm run dev');
    const restarts = await restartsAfterEdits(setup.directory, small ? 1 : effort.repeats);
    const edited = figureRow(
      'start',
      'npm run dev: from an edit of the API until the new process answers',
      { most: 2, unit: ' s' },
      median(restarts),
      `the slowest of ${restarts.length}: ${Math.max(...restarts).toFixed(1)} s`,
    );
    const commands: Row[] = [];
    for (const [name, bundle, argv] of commandLines) {
      const taken: number[] = [];
      for (let repeat = 0; repeat < (small ? 1 : commandRepeats); repeat += 1)
        taken.push(await commandOnce(bundle, argv, setup.comandaUrl));
      const note = `the least of them ${Math.min(...taken).toFixed(3)} s`;
      commands.push(figureRow('start', name, { most: 0.3, unit: ' s' }, median(taken), note));
    }
    // It installs every package, which is nothing to do on tiny data.
    if (small) return [again, edited, ...commands];
    log('in a fresh clone');
    const clone = join(setup.directory, 'clone');
    await promisify(execFile)('git', ['clone', '--quiet', repositoryRoot, clone]);
    const cold = await startOnce(clone, join(setup.directory, 'cloned'));
    const note = 'of the last commit; packages from the store that pnpm keeps, or the registry';
    return [
      again,
      edited,
      ...commands,
      figureRow('start', 'npm start in a fresh clone: ready', { most: 30, unit: ' s' }, cold, note),
    ];
  },
};

/** A command is so short that other work of the machine is a large part of it. */
const commandRepeats = 7;

/** Runs a bundle to its end, as its user does; gives the seconds that it took. */
async function commandOnce(bundle: string, argv: readonly string[], databaseUrl: string): Promise<number> {
  const began = performance.now();
  await promisify(execFile)(process.execPath, [join(repositoryRoot, 'dist', bundle), ...argv], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  return (performance.now() - began) / 1000;
}

/** Starts it in a clone as a user would, stops it with SIGTERM; gives the seconds until /readyz answered 200. */
async function startOnce(clone: string, dataDir: string): Promise<number> {
  // Below those that outgoing connections take.
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  const began = performance.now();
  const child = spawn('npm', ['start', '--silent'], {
    cwd: clone,
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
      if (performance.now() - began > 600_000) throw new Error('npm start was not ready within ten minutes');
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      if (answer?.status === 200) return (performance.now() - began) / 1000;
      await sleep(10);
    }
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
