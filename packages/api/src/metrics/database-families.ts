import type { Queryable } from '@comanda/db';
import { counter, gauge, type MetricFamily, shared, single } from './family.ts';
import * as sql from './statements.ts';

/**
 * What the database says of all processes together. Every statement stands on an index or on a table of a few
 * rows, and counts no further than `sql.countedAtMost`.
 * @throws what the database throws.
 */
export async function databaseFamilies(database: Queryable): Promise<MetricFamily[]> {
  const families: MetricFamily[] = [];
  // One after the other: a scrape holds one connection.
  for (const read of readings) families.push(...(await read(database)));
  return families.map(shared);
}

type Reading = (database: Queryable) => Promise<MetricFamily[]>;

const upTo = `counted up to ${sql.countedAtMost}`;

const readings: readonly Reading[] = [
  async (database) => {
    const [row] = await database.run(sql.relayBacklog, []);
    return [
      gauge(
        'comanda_relay_changes',
        `Captured changes that wait to be published, and those set aside because they cannot be; ${upTo}.`,
        [
          { labels: { state: 'waiting' }, value: row?.waiting ?? 0 },
          { labels: { state: 'set_aside' }, value: row?.setAside ?? 0 },
        ],
      ),
      gauge(
        'comanda_relay_lag_seconds',
        'Age of the oldest captured change that waits to be published.',
        single(row?.lagSeconds ?? 0),
      ),
    ];
  },
  async (database) => {
    const [row] = await database.run(sql.deliveryQueue, []);
    return [
      gauge('comanda_deliveries', `Deliveries that wait for an attempt, by state; ${upTo}.`, [
        { labels: { state: 'due' }, value: row?.due ?? 0 },
        { labels: { state: 'scheduled' }, value: row?.scheduled ?? 0 },
      ]),
      gauge(
        'comanda_deliveries_oldest_due_seconds',
        'For how long the oldest due delivery has been due.',
        single(row?.oldestSeconds ?? 0),
      ),
    ];
  },
  async (database) => {
    const [row] = await database.run(sql.failingEndpoints, []);
    return [
      gauge(
        'comanda_webhook_endpoints_failing',
        `Active webhook endpoints at which no attempt arrives; ${upTo}.`,
        single(row?.failing ?? 0),
      ),
    ];
  },
  async (database) => {
    const rows = await database.run(sql.totals, []);
    const total = (name: string) => rows.find((row) => row.name === name)?.total ?? 0;
    return [
      counter(
        'comanda_delivery_attempts_total',
        'Delivery attempts of all workers: delivered, failed (tried again later), dead (the last one failed).',
        ['delivered', 'failed', 'dead'].map((outcome) => ({
          labels: { outcome },
          value: total(`deliveries_${outcome}`),
        })),
      ),
      counter(
        'comanda_sync_jobs_ended_total',
        'Sync jobs that ended, by state.',
        ['completed', 'failed'].map((state) => ({ labels: { state }, value: total(`sync_jobs_${state}`) })),
      ),
    ];
  },
  async (database) => {
    const rows = await database.run(sql.unfinishedSyncJobs, []);
    return [
      gauge(
        'comanda_sync_jobs',
        `Sync jobs that are not over, by state; ${upTo}.`,
        ['queued', 'processing'].map((state) => ({
          labels: { state },
          value: rows.find((row) => row.status === state)?.count ?? 0,
        })),
      ),
      gauge(
        'comanda_sync_jobs_oldest_seconds',
        'Age of the oldest sync job that is not over.',
        single(Math.max(0, ...rows.map(({ oldestSeconds }) => oldestSeconds))),
      ),
    ];
  },
  async (database) => {
    const rows = await database.run(sql.readHeartbeats, []);
    const alive = (kind: string) => rows.filter((row) => row.kind === kind && row.alive).length;
    return [
      gauge('comanda_processes_alive', 'Processes whose heartbeat is fresh.', [
        { labels: { kind: 'api' }, value: alive('api') },
        { labels: { kind: 'worker' }, value: alive('worker') },
      ]),
      gauge(
        'comanda_worker_heartbeat_age_seconds',
        'Time since the last heartbeat of each worker.',
        rows
          .filter(({ kind }) => kind === 'worker')
          .map(({ host, pid, ageSeconds }) => ({ labels: { host, pid }, value: ageSeconds })),
      ),
      gauge(
        'comanda_clock_skew_seconds',
        'How far the clock of each process is from the database, in either direction.',
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
      gauge(
        'comanda_database_connections',
        'Connections of clients to the database server.',
        single(row?.used ?? 0),
      ),
      gauge(
        'comanda_database_connections_limit',
        'Connections that clients may have there, without those kept for superusers.',
        single(row?.usable ?? 0),
      ),
    ];
  },
  async (database) => {
    const [row] = await database.run(sql.archiver, []);
    const { mode = 'off', failedSeconds = null, archivedSeconds = null } = row ?? {};
    const fails = failedSeconds !== null && (archivedSeconds === null || archivedSeconds > failedSeconds);
    return [
      gauge(
        'comanda_database_archive_failing',
        "1 when the last file of the server's log that was tried did not get into the archive; absent without archive_mode.",
        mode === 'off' ? [] : single(fails ? 1 : 0),
      ),
    ];
  },
  async (database) => {
    const [queue] = await database.run(sql.queueExists, []);
    if (queue?.exists !== true) return [];
    const rows = await database.run(sql.queuedJobs, []);
    return [
      gauge(
        'comanda_jobs',
        `Jobs in the queue: ready, scheduled, locked (a worker is at it), failed (given up); ${upTo}.`,
        rows.map(({ task, state, count }) => ({ labels: { task, state }, value: count })),
      ),
    ];
  },
];
