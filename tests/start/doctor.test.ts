import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { runComanda } from '../support/command.ts';
import { waitFor } from '../support/wait.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: string;
let service: ChildProcess;
let output = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comanda-doctor-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  service = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [service.stdout, service.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await waitFor('the service to be ready', () => output.includes('is ready after'), { timeoutMs: 60_000 });
});

afterAll(async () => {
  const ended = once(service, 'exit');
  service.kill('SIGINT');
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

const doctor = (...words: string[]) => runComanda({ DATA_DIR: folder }, 'doctor', ...words);

it.each([[[]], [['--deep']]])(
  'doctor %j finds nothing to complain of after the very first start, and exits 0',
  async (words) => {
    const { code, stdout } = await doctor(...words);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/\nAll is well\.\n$/);
    expect(stdout).toMatch(/^ok +disk +\d+\.\d GiB free$/m);
    const json = await doctor(...words, '--json');
    const { outcome, checks } = JSON.parse(json.stdout) as {
      outcome: string;
      checks: { outcome: string }[];
    };
    expect([json.code, outcome, checks.filter((check) => check.outcome !== 'ok')]).toEqual([0, 'ok', []]);
  },
);

it('a link for the app leads to the service of the data directory, on any port', async () => {
  const { stdout } = await runComanda({ DATA_DIR: folder }, 'app', 'code', '--json');
  const { url, address } = JSON.parse(stdout) as { url: string; address: string };
  expect(address).toBe('of the running service');
  const app = await fetch(url);
  expect([app.status, await app.text()]).toEqual([200, expect.stringContaining('<title>')]);
  expect(output).toContain(new URL(url).origin);
});
