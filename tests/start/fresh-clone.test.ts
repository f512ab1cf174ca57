import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { readSettings, SettingsError } from '../../packages/db/src/settings/settings.ts';
import { use } from '../support/use.ts';

// The files that the start reads in a clone before anything is installed.
const clone = use(
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'comanda-clone-'));
    for (const part of ['scripts', 'packages/db/src', 'package.json', 'prisma/schema.prisma'])
      cpSync(join(repositoryRoot, part), join(folder, part), { recursive: true });
    return { folder };
  },
  async ({ folder }) => rmSync(folder, { recursive: true }),
);

it('names a taken port before it installs anything', async () => {
  const thief = createServer().listen(0, '127.0.0.1');
  await once(thief, 'listening');
  const address = thief.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    const { status, output } = start({ PORT: String(port) });
    expect(status).toBe(1);
    expect(output).toMatch(new RegExp(`^comanda: PORT: ${port} on 127.0.0.1 is taken .*\n$`));
  } finally {
    thief.close();
  }
});

it.each([
  { PORT: '70000' },
  { LOG_LEVEL: 'loud' },
  { DATABASE_URL: 'mysql://root:hunter2@localhost/x' },
  { ENCRYPTION_KEY: 'hunter2' },
  { NODE_ENV: 'production' },
])('names %o before it installs anything, in the words that the service has for it', (env) => {
  expect(() => readSettings(env)).toThrow(SettingsError);
  let said = '';
  try {
    readSettings(env);
  } catch (error) {
    said = error instanceof Error ? error.message : '';
  }
  expect(start(env)).toEqual({ status: 1, output: `comanda: ${said}\n` });
});

it('npm start -- --port 4000 was served on port 3000: what it does not take is refused', () => {
  const { status, output } = start({}, '--port', '4000');
  expect(status).toBe(1);
  expect(output).toBe(
    'comanda: npm start takes no --port; settings are variables, as in PORT=4000 npm start\n',
  );
});

/** Runs it with nothing set but that. */
function start(env: Record<string, string>, ...words: string[]): { status: number | null; output: string } {
  const { PATH = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/start.mjs', ...words], {
    cwd: clone.folder,
    env: { PATH, ...env },
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}
