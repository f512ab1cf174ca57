/** A metric of ours, by its name. `# HELP`, `# TYPE`, the table of docs/operations.md and its tests are made of these rows. */
export interface MetricRow {
  type: 'counter' | 'gauge' | 'histogram';
  /** Names of its labels, as they are written. */
  labels: readonly string[];
  /** Where it is answered. */
  of: 'api' | 'worker' | 'both';
  /** What it is, in the words of the documents and of `# HELP`. */
  help: string;
}

/** No count goes further: a scrape must cost the same whatever has piled up. */
export const countedAtMost = 10_000;

const row =
  (of: MetricRow['of'], type: MetricRow['type']) =>
  (labels: string, help: string): MetricRow => ({
    ...{ type, of, help },
    labels: labels === '' ? [] : labels.split(' '),
  });
const counter = row('api', 'counter');
const gauge = row('api', 'gauge');
const histogram = row('api', 'histogram');
const upTo = `counted up to ${countedAtMost}`;

/** Every metric of ours, in the order of the documents. */
export const metricTable = {
  comanda_http_requests_total: counter(
    'operation entrance method code',
    'requests answered; operation is none for a path that leads nowhere',
  ),
  comanda_http_request_duration_seconds: histogram(
    'operation entrance',
    'time from the request to the end of its answer',
  ),
  comanda_limit_refusals_total: counter(
    'limit',
    'requests answered 429, by the limit that was used up: minute, month, batch_hour, codes (of the app) or streams (open at once)',
  ),
  comanda_pool_connections: row('both', 'gauge')('state', 'connections to the database: total, idle'),
  comanda_pool_waiting: row('both', 'gauge')('', 'requests that wait for a connection to the database'),
  comanda_replica_reads_total: counter(
    'answered_by reason',
    'reads that a replica may answer: by replica, or by primary and why (behind, unreachable, unsuitable, interrupted, unsure)',
  ),
  comanda_replica_lag_bytes: gauge(
    '',
    "how much of the primary's log the replica has not replayed; below zero it has another history and is not read; absent without a replica, or while it does not answer",
  ),
  comanda_database_up: gauge('', '1 when the database answered this scrape in time'),
  comanda_database_state: gauge(
    'state',
    '1 for what requests meet at the database, as /readyz has it: ok, read-only, disk-full, unreachable',
  ),
  comanda_database_connections: gauge('', 'connections of clients to the database server'),
  comanda_database_connections_limit: gauge(
    '',
    'connections that clients may have there, without those kept for superusers',
  ),
  comanda_database_archive_failing: gauge(
    '',
    "1 when the last file of the server's log that was tried did not get into the archive; absent without archive_mode",
  ),
  comanda_clock_skew_seconds: gauge(
    'kind host pid',
    "how far the clock of each process is from the database's, in either direction",
  ),
  comanda_relay_changes: gauge(
    'state',
    `captured changes that wait to be published (waiting), and those that cannot be (set_aside); ${upTo}`,
  ),
  comanda_relay_lag_seconds: gauge('', 'age of the oldest captured change that waits to be published'),
  comanda_deliveries: gauge('state', `deliveries that wait for an attempt: due, scheduled; ${upTo}`),
  comanda_deliveries_oldest_due_seconds: gauge('', 'for how long the oldest due delivery has been due'),
  comanda_webhook_endpoints_failing: gauge(
    '',
    `active webhook endpoints at which no attempt arrives, which the log names; ${upTo}`,
  ),
  comanda_delivery_attempts_total: counter(
    'outcome',
    'delivery attempts of all workers: delivered, failed (tried again later), dead (the last one failed); exact, and never falls',
  ),
  comanda_sync_jobs: gauge('state', `sync jobs that are not over: queued, processing; ${upTo}`),
  comanda_sync_jobs_oldest_seconds: gauge('', 'age of the oldest sync job that is not over'),
  comanda_sync_jobs_ended_total: counter('state', 'sync jobs that ended: completed, failed'),
  comanda_jobs: gauge(
    'task state',
    `jobs in the queue: ready, scheduled, locked (a worker is at it), failed (given up); ${upTo}`,
  ),
  comanda_processes_alive: gauge('kind', 'processes whose heartbeat is fresh: api, worker'),
  comanda_worker_heartbeat_age_seconds: gauge('host pid', 'time since the last heartbeat of each worker'),
  comanda_delivery_attempt_duration_seconds: row('worker', 'histogram')(
    'outcome',
    'time from the beginning of a delivery attempt to its outcome: delivered, failed',
  ),
  comanda_delivery_attempts_in_flight: row('worker', 'gauge')(
    '',
    'delivery attempts that this worker waits for',
  ),
  comanda_build_info: row('both', 'gauge')('version commit node', 'always 1; the labels say what runs'),
} as const satisfies Record<`comanda_${string}`, MetricRow>;

/** A metric of ours. */
export type MetricName = keyof typeof metricTable;
