import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createApp, type RunningApp, type RunningServer, startServer } from '@comanda/api';
import { repositoryRoot } from '@comanda/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedDemo } from '../../prisma/seed.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { roleUrl } from '../support/roles.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'comanda-quick-start-'));
let database: TestDatabase;
let app: RunningApp;
let server: RunningServer;
let key: string | undefined;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ key } = await seedDemo({ databaseUrl: roleUrl(database.url, 'owner'), dataDir }));
  app = await createApp({
    databaseUrl: database.url,
    encryptionKey: randomBytes(32).toString('base64'),
    idempotencyTtlHours: 168,
    webhookTargets: 'any',
    webhookAllowCidrs: [],
    logLevel: 'silent',
  });
  server = await startServer(app, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.drain(1_000);
  await app.close();
  await database.drop();
  rmSync(dataDir, { recursive: true });
});

test('the quick start leads from a key to an order, and its repeat to the same one', async () => {
  const guide = readFileSync(join(repositoryRoot, 'docs/guides/quick-start.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
  expect(blocks).toHaveLength(4);
  const [first = '', ids = '', order = '', found = ''] = blocks;
  const said = await run([first, ids, order, order, found].join('\necho; echo ---\n'));
  const [location, , created, repeated, read] = said.split('\n---\n').map((text) => text.trim());
  expect(JSON.parse(location ?? '')).toMatchObject({ data: { name: 'Cantina Aurora' } });
  expect(JSON.parse(created ?? '')).toMatchObject({ data: { external_id: 'MY-1', status: 'pending' } });
  expect(repeated).toBe(created);
  expect(read).toContain('"external_id":"MY-1"');
});

async function run(script: string): Promise<string> {
  const env = { ...process.env, COMANDA_URL: server.url, COMANDA_KEY: key };
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', script], { env });
  return stdout;
}
