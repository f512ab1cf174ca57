/**
 * One of our metrics, by its name. `# HELP`, `# TYPE`, the table of docs/operations/monitoring.md and its tests are made of
 * these rows.
 */
export interface MetricRow {
  type: 'counter' | 'gauge' | 'histogram';
  /** Names of its labels, as they are written. */
  labels: readonly string[];
  /** Where it is answered. */
  of: 'api' | 'worker' | 'both';
  /** The meaning of the metric, in the words of the documents and of `# HELP`. */
  help: string;
}

/** No count goes further: a scrape must cost the same with any backlog. */
export const countedAtMost = 10_000;

/** The locations that a metric of locations names, and for how long a call or an attempt counts there. */
export const noisiest = { locations: 10, minutes: 5 } as const;

/** How often the checks of doctor are run, in milliseconds, and for how long they look at what must always hold. */
export const checking = { everyMs: 300_000, invariantSeconds: 5 } as const;

const row =
  (of: MetricRow['of'], type: MetricRow['type']) =>
  (labels: string, help: string): MetricRow => ({
    type,
    of,
    help,
    labels: labels === '' ? [] : labels.split(' '),
  });
const counter = row('api', 'counter');
const gauge = row('api', 'gauge');
const histogram = row('api', 'histogram');
const upTo = `counted up to ${countedAtMost}`;
const noisy = `the ${noisiest.locations} locations with most in the last ${noisiest.minutes} minutes`;

/** Every one of our metrics, in the order of the documents. */
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
  comanda_location_requests: gauge('location_id', `requests of a location: ${noisy}`),
  comanda_location_orders: gauge('location_id', `orders that calls of a location created: ${noisy}`),
  comanda_location_delivery_attempts: row('worker', 'gauge')(
    'location_id',
    `delivery attempts for a location that ended: ${noisy}`,
  ),
  comanda_pool_connections: row('both', 'gauge')('state', 'connections to the database: total, idle'),
  comanda_pool_waiting: row('both', 'gauge')('', 'requests that wait for a connection to the database'),
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
  comanda_database_size_bytes: gauge('', 'size of the database on its disk, without the log of the server'),
  comanda_table_live_rows: gauge('table', 'rows of a table that changes fast, as PostgreSQL estimates them'),
  comanda_table_dead_rows: gauge(
    'table',
    'dead rows of a table that changes fast, which vacuum has not removed yet',
  ),
  comanda_table_size_bytes: gauge(
    'table',
    'size of a table that changes fast, without its indexes, as of its last vacuum',
  ),
  comanda_clock_skew_seconds: gauge(
    'kind host pid',
    "how far the clock of each process is from the database's, in either direction",
  ),
  comanda_check_outcome: gauge(
    'check outcome',
    `1 for the outcome of each check of comanda doctor: ok, warning, unknown, wrong; looked at every ${checking.everyMs / 60_000} minutes; absent until the first look has ended`,
  ),
  comanda_checks_age_seconds: gauge('', 'time since the last look of these checks ended'),
  comanda_publishing: gauge(
    'state',
    '1 for the state of publishing, as /readyz has it: ok; stalled when changes wait and none has been published for a minute',
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

/** One of our metrics. */
export type MetricName = keyof typeof metricTable;
