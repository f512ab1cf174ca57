import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { median } from '../load.ts';
import { figureRow } from '../result.ts';
import type { Part } from './part.ts';

/** `npm start` on a data directory that exists: until the first request is served. */
export const start: Part = {
  name: 'start',
  summary: 'npm start, the second time',
  async run({ place, effort, small }) {
    const dataDir = join(place.directory, 'started');
    await startOnce(dataDir);
    const seconds: number[] = [];
    for (let repeat = 0; repeat < (small ? 1 : effort.repeats); repeat += 1)
      seconds.push(await startOnce(dataDir));
    return [figureRow('start', 'npm start, second time: ready', { most: 2, unit: ' s' }, median(seconds))];
  },
};

/** Starts it as a user would, stops it with SIGTERM; gives the seconds until /readyz answered 200. */
async function startOnce(dataDir: string): Promise<number> {
  // Below those that outgoing connections take.
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  const began = performance.now();
  const child = spawn('npm', ['start', '--silent'], {
    cwd: repositoryRoot,
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
      if (performance.now() - began > 60_000) throw new Error('npm start was not ready within a minute');
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      if (answer?.status === 200) return (performance.now() - began) / 1000;
      await sleep(10);
    }
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
