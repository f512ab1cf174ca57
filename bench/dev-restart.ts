import { spawn } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryRoot } from '../packages/db/src/root.ts';
import { copyTree } from '../scripts/recipes/copy.mjs';

const patienceMs = 120_000;

/**
 * Runs `npm run dev` on a copy of the tree in `directory`, and edits a file of the API so many times; gives the seconds from
 * each edit until a process that has it answers `/readyz`.
 */
export async function restartsAfterEdits(directory: string, edits: number): Promise<number[]> {
  const copy = join(directory, 'edited');
  mkdirSync(copy);
  // The database server of a root run is another user and must be able to pass.
  chmodSync(copy, 0o711);
  copyTree(repositoryRoot, copy);
  // Below those that outgoing connections take.
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  const child = spawn(process.execPath, ['scripts/dev.mjs'], {
    cwd: copy,
    env: { ...process.env, PORT: String(port), DATA_DIR: join(directory, 'edited-data'), SEED_DEMO: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const until = async (what: string, holds: () => boolean | Promise<boolean>) => {
    const end = performance.now() + patienceMs;
    while (!(await holds())) {
      if (child.exitCode !== null || performance.now() > end)
        throw new Error(`npm run dev: ${what} did not come\n${output.slice(-2_000)}`);
      await sleep(5);
    }
  };
  const answers = async () =>
    (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200;
  const seconds: number[] = [];
  try {
    await until('its start', () => output.includes('Ctrl-C stops it'));
    for (let edit = 0; edit < edits; edit += 1) {
      await until('the API', answers);
      const mark = `edited ${edit} times before`;
      const began = performance.now();
      appendFileSync(join(copy, 'packages/api/src/http/health.ts'), `\nconsole.log('${mark}');\n`);
      // The new process reports it while it loads; the old one has ended before that.
      await until('the new process', () => output.includes(mark));
      await until('its answer', answers);
      seconds.push((performance.now() - began) / 1_000);
    }
  } finally {
    child.kill('SIGINT');
    await ended;
  }
  return seconds;
}
