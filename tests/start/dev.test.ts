import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { waitFor } from '../support/wait.ts';

let folder: string;
let child: ChildProcess;
let output = '';

// On a copy: no test writes into the source tree.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comanda-dev-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  for (const name of [
    'docs/site/built',
    'packages',
    'prisma',
    'scripts',
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
  ])
    cpSync(join(repositoryRoot, name), join(folder, name), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    });
  for (const name of [
    '.',
    'packages/api',
    'packages/client',
    'packages/db',
    'packages/embedded',
    'packages/worker',
  ])
    symlinkSync(join(repositoryRoot, name, 'node_modules'), join(folder, name, 'node_modules'));
  child = spawn(process.execPath, ['scripts/dev.mjs'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATA_DIR: join(folder, 'data'),
      SEED_DEMO: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await shown('Ctrl-C stops it');
}, 120_000);

afterAll(async () => {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

it('starts the API again after an edit of its sources, and leaves the worker alone', async () => {
  appendFileSync(join(folder, 'packages/api/src/http/health.ts'), "\nconsole.log('edited once');\n");
  await shown('api is ready again');
  expect(output).toContain('edited once');
  expect(output).not.toContain('worker is ready again');
}, 60_000);

it('says what does not compile, and goes on serving what it had', async () => {
  const lives = output.split('api is ready again').length;
  appendFileSync(join(folder, 'packages/worker/src/console.ts'), '\nno such syntax\n');
  await shown('not built: Build failed');
  expect(output.split('api is ready again')).toHaveLength(lives);
  expect(output).not.toContain('worker died');
}, 60_000);

async function shown(text: string): Promise<void> {
  await waitFor(`"${text}"`, () => output.includes(text) || child.exitCode !== null, { timeoutMs: 110_000 });
  expect(output).toContain(text);
}
