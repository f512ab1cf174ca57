import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startWorker } from '@comanda/worker';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { runComanda } from '../support/command.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
import { runOnce } from '../support/server.ts';
import { waitFor } from '../support/wait.ts';
import type { Cluster } from './cluster.ts';
import { type Operator, startOperator } from './operator.ts';

// Backups that a drill must not take, and one that it must take: of both it said the wrong thing.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const encryptionKey = randomBytes(32).toString('base64');
let operator: Operator;
let cluster: Cluster;
let api: TestApi;
let env: Record<string, string>;

beforeAll(async () => {
  operator = await startOperator('backup.md', encryptionKey);
  ({ cluster, env } = operator);
  const databaseUrl = cluster.url('comanda_service', 'comanda');
  api = await startTestApi({ databaseUrl, encryptionKey });
  const kitchen = await createOrderKitchen(api);
  for (let n = 0; n < 5; n += 1) await placeOrder(api, kitchen);
  const worker = await startWorker({
    databaseUrl,
    encryptionKey,
    webhookTimeoutMs: 10_000,
    webhookRetryDelaysSeconds: [1, 1, 1, 1],
    webhookTargets: 'any',
    webhookAllowCidrs: [],
    logLevel: 'silent',
  });
  await waitFor('every change to be published', async () => {
    const { rows } = await api.app.database.pool.query('select from internal.captured_changes limit 1');
    return rows.length === 0;
  });
  await worker.stop();
});
afterAll(async () => {
  await api?.close();
  await operator?.remove();
});

const drillOf = (from: string) => runComanda({ ...env, PATH: env.PATH ?? '' }, 'drill', '--from', from);
const leftOver = () => readdirSync(cluster.home).filter((name) => name.startsWith('comanda-drill-'));
/** Past every guard. */
const asRoot = (sql: string) =>
  runOnce(cluster.url('postgres', 'comanda'), `set session_replication_role = replica; ${sql}`);

it('refuses a base backup whose log or tablespaces lie elsewhere, and never writes into a backup behind a link', async () => {
  const at = (name: string) => join(cluster.home, name);
  const [linked, log, latest] = [at('linked'), at('linked-log'), at('latest')];
  const make = (...more: string[]) =>
    cluster.run(
      'pg_basebackup',
      '-X',
      'stream',
      '-c',
      'fast',
      '-d',
      cluster.url('postgres', 'postgres'),
      ...more,
    );
  make('-D', linked, '--waldir', log);
  const before = readdirSync(log);
  const refused = await drillOf(linked);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/pg_wal is a link .* --waldir/) });
  expect(readdirSync(log)).toEqual(before);
  rmSync(`${linked}/pg_wal`);
  renameSync(log, `${linked}/pg_wal`);
  symlinkSync('/nowhere', `${linked}/pg_tblspc/16999`);
  const spread = await drillOf(linked);
  expect(spread).toMatchObject({ code: 1, stderr: expect.stringMatching(/has a tablespace .*16999/) });
  rmSync(`${linked}/pg_tblspc/16999`);
  symlinkSync(linked, latest);
  // On a terminal, where it says how far it is.
  const drilled = await promisify(execFile)(
    'script',
    ['-qec', `node '${repositoryRoot}/scripts/comanda.mjs' drill --from '${latest}'`, '/dev/null'],
    { env: { ...process.env, ...env } },
  );
  expect(drilled.stdout).toMatch(/ok {6}restored /);
  for (const what of ['restoring', 'asking doctor', 'comparing with the original'])
    expect(drilled.stdout).toMatch(new RegExp(`\\d %  ${what}`));
  expect(existsSync(`${linked}/backup_label`)).toBe(true);
  expect(leftOver()).toEqual([]);
});

it('lets a backup pass whose newest events retention has removed since, and none whose events are lost', async () => {
  const dump = (name: string) => {
    const file = join(cluster.home, name);
    cluster.run('pg_dump', '-Fc', '-f', file, '-d', env.DATABASE_OWNER_URL ?? '');
    return file;
  };
  const fresh = dump('fresh.dump');
  await asRoot(`update events set created_at = created_at - interval '33 days'`);
  const aged = dump('aged.dump');
  await asRoot('delete from webhook_attempts; delete from webhook_deliveries; delete from events');
  const old = await drillOf(aged);
  expect(old.stdout).toMatch(/^ok {6}compared .*older than what the original keeps/m);
  const lost = await drillOf(fresh);
  expect(lost.stdout).toMatch(/^FAILED {2}compared .*1 of its 1 newest events is unknown there/m);
  expect(leftOver()).toEqual([]);
});
