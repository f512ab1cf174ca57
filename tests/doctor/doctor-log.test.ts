import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Thresholds } from '../../packages/api/src/doctor/check.ts';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { type EmbeddedServer, startEmbedded } from '../../packages/embedded/src/server.ts';
import { roleUrl } from '../support/roles.ts';
import { waitFor } from '../support/wait.ts';

// A server whose archive refuses, and with a slot that no process reads: doctor said that all was well.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'comanda-doctor-log-'));
const open = join(folder, 'open');
let server: EmbeddedServer;
let root: pg.Client;

beforeAll(async () => {
  // The server of a root run is another user.
  chmodSync(folder, 0o711);
  server = await startEmbedded({
    dataDir: join(folder, 'data'),
    settings: { archive_mode: 'on', archive_command: `test -f ${open}`, wal_level: 'replica' },
  });
  await migrate(server.url);
  root = new pg.Client({ connectionString: server.url, application_name: 'comanda-test' });
  root.on('error', () => {});
  await root.connect();
});
afterAll(async () => {
  await root?.end();
  // So that the server has nothing to wait for.
  writeFileSync(open, '');
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The result of one check for the service, which is no superuser. */
async function look(name: string, thresholds: Partial<Thresholds> = {}) {
  const { checks } = await diagnose({ DATABASE_URL: roleUrl(server.url, 'service') }, { thresholds });
  return checks.find((check) => check.name === name);
}

it('says that the archive refuses the log, and that it takes it again', async () => {
  await root.query('select pg_switch_wal()');
  const refused = await waitFor('the archiver to fail', async () => {
    const { rows } = await root.query(
      'select last_failed_wal as file from pg_stat_archiver where failed_count > 0',
    );
    return rows[0] as { file: string } | undefined;
  });
  expect(await look('archive')).toMatchObject({
    outcome: 'warning',
    found: expect.stringMatching(new RegExp(`^${refused.file} failed .* archived: nothing yet$`)),
    advice: expect.stringContaining('archive_command'),
  });
  writeFileSync(open, '');
  // Wakes the archiver, should it have given up for now.
  await root.query("select pg_logical_emit_message(false, 'comanda-test', '')");
  await root.query('select pg_switch_wal()');
  await waitFor('the archiver to succeed', async () => {
    const { rowCount } = await root.query(
      'select from pg_stat_archiver where last_archived_time > last_failed_time',
    );
    return rowCount === 1;
  });
  expect(await look('archive')).toMatchObject({ outcome: 'ok', found: expect.stringMatching(/^archived: /) });
});

it('says which slot is not read, and how much log it keeps', async () => {
  expect(await look('replication slots')).toMatchObject({ outcome: 'ok', found: 'there are none' });
  await root.query("select pg_create_physical_replication_slot('forgotten', true)");
  await root.query("select pg_logical_emit_message(false, 'comanda-test', repeat('x', 3000000))");
  await root.query('select pg_switch_wal()');
  expect(await look('replication slots')).toMatchObject({ outcome: 'ok', found: '1 slot, none keeps much' });
  const slots = await look('replication slots', { slotBytes: 2_000_000 });
  expect(slots).toMatchObject({
    outcome: 'warning',
    found: expect.stringMatching(/^forgotten is not read, and keeps \d+ MiB$/),
  });
  await root.query("select pg_drop_replication_slot('forgotten')");
  expect((await look('replication slots', { slotBytes: 2_000_000 }))?.outcome).toBe('ok');
});

it('says how many transaction ids are taken, and warns before they run out', async () => {
  expect((await look('transaction ids'))?.outcome).toBe('ok');
  const judged = async (warning: number, wrong: number) =>
    (await look('transaction ids', { transactionAge: { warning, wrong } }))?.outcome;
  expect(await judged(0, 1e9)).toBe('warning');
  expect(await judged(0, 0)).toBe('wrong');
});
