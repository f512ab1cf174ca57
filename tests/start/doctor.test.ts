import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { callComanda } from '../support/command.ts';
import { finish, type Run, serving, startRun } from './run.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: string;
let service: Run;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'comanda-doctor-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(folder, 0o711);
  service = startRun({ dataDir: folder, port: 0, env: { SEED_DEMO: '' } });
  await serving(service);
});

afterAll(async () => {
  await finish(service, 'SIGINT');
  rmSync(folder, { recursive: true, force: true });
});

const doctor = (...words: string[]) => callComanda({ DATA_DIR: folder }, 'doctor', ...words);

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

it('a link for the app leads to the service of the data directory, for any port in the settings of the command', async () => {
  const { stdout } = await callComanda({ DATA_DIR: folder, PORT: '1' }, 'app', 'code', '--json');
  const { url, address } = JSON.parse(stdout) as { url: string; address: string };
  expect(address).toBe('of the running service');
  const app = await fetch(url);
  expect([app.status, await app.text()]).toEqual([200, expect.stringContaining('<title>')]);
  expect(service.output()).toContain(`Base URL  ${new URL(url).origin}`);
});
