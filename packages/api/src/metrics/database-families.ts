import type { Queryable } from '@comanda/db';
import { family, type MetricFamily, shared, single } from './family.ts';
import * as sql from './statements.ts';

/**
 * Metrics of the database about all processes together. Every statement uses an index or a table of a few
 * rows, and counts no further than `countedAtMost`.
 * @throws what the database throws.
 */
export async function databaseFamilies(database: Queryable): Promise<MetricFamily[]> {
  const families: MetricFamily[] = [];
  // One after the other: a scrape holds one connection.
  for (const read of readings) families.push(...(await read(database)));
  return families.map(shared);
}

type Reading = (database: Queryable) => Promise<MetricFamily[]>;

const readings: readonly Reading[] = [
  async (database) => {
    const [row] = await database.run(sql.relayBacklog, []);
    return [
      family('comanda_relay_changes', [
        { labels: { state: 'waiting' }, value: row?.waiting ?? 0 },
        { labels: { state: 'set_aside' }, value: row?.setAside ?? 0 },
      ]),
      family('comanda_relay_lag_seconds', single(row?.lagSeconds ?? 0)),
    ];
  },
  async (database) => {
    const [row] = await database.run(sql.deliveryQueue, []);
    return [
      family('comanda_deliveries', [
        { labels: { state: 'due' }, value: row?.due ?? 0 },
        { labels: { state: 'scheduled' }, value: row?.scheduled ?? 0 },
      ]),
      family('comanda_deliveries_oldest_due_seconds', single(row?.oldestSeconds ?? 0)),
    ];
  },
  async (database) => {
    const [row] = await database.run(sql.failingEndpoints, []);
    return [family('comanda_webhook_endpoints_failing', single(row?.failing ?? 0))];
  },
  async (database) => {
    const rows = await database.run(sql.totals, []);
    const total = (name: string) => rows.find((row) => row.name === name)?.total ?? 0;
    return [
      family(
        'comanda_delivery_attempts_total',
        ['delivered', 'failed', 'dead'].map((outcome) => ({
          labels: { outcome },
          value: total(`deliveries_${outcome}`),
        })),
      ),
      family(
        'comanda_sync_jobs_ended_total',
        ['completed', 'failed'].map((state) => ({ labels: { state }, value: total(`sync_jobs_${state}`) })),
      ),
    ];
  },
  async (database) => {
    const rows = await database.run(sql.unfinishedSyncJobs, []);
    return [
      family(
        'comanda_sync_jobs',
        ['queued', 'processing'].map((state) => ({
          labels: { state },
          value: rows.find((row) => row.status === state)?.count ?? 0,
        })),
      ),
      family(
        'comanda_sync_jobs_oldest_seconds',
        single(Math.max(0, ...rows.map(({ oldestSeconds }) => oldestSeconds))),
      ),
    ];
  },
  async (database) => {
    const rows = await database.run(sql.readHeartbeats, []);
    const alive = (kind: string) => rows.filter((row) => row.kind === kind && row.alive).length;
    return [
      family('comanda_processes_alive', [
        { labels: { kind: 'api' }, value: alive('api') },
        { labels: { kind: 'worker' }, value: alive('worker') },
      ]),
      family(
        'comanda_worker_heartbeat_age_seconds',
        rows
          .filter(({ kind }) => kind === 'worker')
          .map(({ host, pid, ageSeconds }) => ({ labels: { host, pid }, value: ageSeconds })),
      ),
      family(
        'comanda_clock_skew_seconds',
        rows
          .filter(({ alive: lives, clockSkewMs }) => lives && clockSkewMs !== null)
          .map(({ kind, host, pid, clockSkewMs }) => ({
            labels: { kind, host, pid },
            value: Math.abs(clockSkewMs ?? 0) / 1_000,
          })),
      ),
    ];
  },
  async (database) => {
    const [row] = await database.run(sql.connections, []);
    return [
      family('comanda_database_connections', single(row?.used ?? 0)),
      family('comanda_database_connections_limit', single(row?.usable ?? 0)),
    ];
  },
  async (database) => {
    const [row] = await database.run(sql.archiver, []);
    const { mode = 'off', failedSeconds = null, archivedSeconds = null } = row ?? {};
    const fails = failedSeconds !== null && (archivedSeconds === null || archivedSeconds > failedSeconds);
    return [family('comanda_database_archive_failing', mode === 'off' ? [] : single(fails ? 1 : 0))];
  },
  async (database) => {
    const [row] = await database.run(sql.databaseSize, []);
    const tables = await database.run(sql.busyTables, []);
    const of = (figure: 'live' | 'dead' | 'bytes') =>
      tables.map((found) => ({ labels: { table: found.table }, value: found[figure] }));
    return [
      family('comanda_database_size_bytes', single(row?.bytes ?? 0)),
      family('comanda_table_live_rows', of('live')),
      family('comanda_table_dead_rows', of('dead')),
      family('comanda_table_size_bytes', of('bytes')),
    ];
  },
  async (database) => {
    const [queue] = await database.run(sql.queueExists, []);
    if (queue?.exists !== true) return [];
    const rows = await database.run(sql.queuedJobs, []);
    return [
      family(
        'comanda_jobs',
        rows.map(({ task, state, count }) => ({ labels: { task, state }, value: count })),
      ),
    ];
  },
];
