import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { stopping, workLimits } from '../lifetimes.ts';
import { repositoryRoot } from '../root.ts';
import { parseEncryptionKeys } from './encryption-keys.ts';
import { SettingsError } from './error.ts';
import { fallbacks, faultIn, readFiles, type words } from './forms.mjs';

export { SettingsError } from './error.ts';

/** One setting: the environment variable, what it means, how its text is read, what holds when it is unset. */
export interface SettingRow<T> {
  variable: string;
  description: string;
  /** Makes the value of text that has the form of settings-forms.mjs. */
  parse: (text: string) => T;
  /** The default text of an unset variable; without it the field is undefined. */
  fallback?: string;
}

/** Every setting of every process: the start, the documents and `--help` read this table. */
export const settingsTable = {
  nodeEnv: required({
    variable: 'NODE_ENV',
    description: 'Mode: production asks for an ENCRYPTION_KEY and makes no demo data by itself.',
    parse: word<'NODE_ENV'>,
    fallback: 'development',
  }),
  port: required({
    variable: 'PORT',
    description: 'TCP port of the API; 0 takes any free one.',
    parse: Number,
    fallback: fallbacks.PORT,
  }),
  host: required({
    variable: 'HOST',
    description: 'Address the API listens on; 0.0.0.0 opens it to the network.',
    parse: text,
    fallback: fallbacks.HOST,
  }),
  databaseUrl: optional({
    variable: 'DATABASE_URL',
    description: 'PostgreSQL (15 or later) to use; unset, npm start runs an embedded one in DATA_DIR.',
    parse: text,
  }),
  databaseDirectUrl: optional({
    variable: 'DATABASE_DIRECT_URL',
    description:
      'The same database past a pooler in transaction mode, which DATABASE_URL then is: for the worker and what listens.',
    parse: text,
  }),
  databaseOwnerUrl: optional({
    variable: 'DATABASE_OWNER_URL',
    description:
      'The same database as its owner, past a pooler: for migrations. Unset, the role of DATABASE_URL does everything.',
    parse: text,
  }),
  databaseRolePrefix: required({
    variable: 'DATABASE_ROLE_PREFIX',
    description:
      'The prefix of the names of the four roles, so that databases of one server can have their own.',
    parse: text,
    fallback: 'comanda',
  }),
  dataDir: required({
    variable: 'DATA_DIR',
    description: 'Folder of the embedded database and generated keys; relative to the repository root.',
    parse: (path) => resolve(repositoryRoot, path),
    fallback: '.data',
  }),
  logLevel: required({
    variable: 'LOG_LEVEL',
    description: 'Least severe log lines to write.',
    parse: word<'LOG_LEVEL'>,
    fallback: 'info',
  }),
  webhookTimeoutMs: required({
    variable: 'WEBHOOK_TIMEOUT_MS',
    description: 'Time a webhook consumer has to answer, in milliseconds.',
    parse: Number,
    fallback: '30000',
  }),
  webhookRetryDelaysSeconds: required({
    variable: 'WEBHOOK_RETRY_DELAYS',
    description: 'Seconds to wait before delivery attempts 2, 3, 4 and 5.',
    parse: retryDelays,
    fallback: '60,300,900,3600',
  }),
  webhookTargets: required({
    variable: 'WEBHOOK_TARGETS',
    description: 'public: https to public addresses only; any: also http and private addresses.',
    parse: word<'WEBHOOK_TARGETS'>,
    fallback: 'public',
  }),
  deliveries: required({
    variable: 'DELIVERIES',
    description:
      'paused: the worker sends no webhook, as on a copy that is only looked at; due deliveries wait.',
    parse: word<'DELIVERIES'>,
    fallback: 'on',
  }),
  webhookAllowCidrs: required({
    variable: 'WEBHOOK_ALLOW_CIDRS',
    description: 'Address ranges that webhooks may reach although they are not public, comma-separated.',
    parse: ranges,
    fallback: '',
  }),
  webhookSourceAddresses: required({
    variable: 'WEBHOOK_SOURCE_ADDRESSES',
    description: 'Addresses and ranges that webhooks come from, comma-separated, as /docs publishes them.',
    parse: list,
    fallback: '',
  }),
  idempotencyTtlHours: required({
    variable: 'IDEMPOTENCY_TTL_HOURS',
    description: 'Hours for which an idempotency key replays its answer.',
    parse: Number,
    fallback: '168',
  }),
  keepEventsDays: required({
    variable: 'KEEP_EVENTS_DAYS',
    description: 'Days for which events and their deliveries are kept; the feed and replays promise 30.',
    parse: Number,
    fallback: '30',
  }),
  keepAttemptsDays: required({
    variable: 'KEEP_ATTEMPTS_DAYS',
    description: 'Days for which delivery attempts are kept, at most as long as their event.',
    parse: Number,
    fallback: '30',
  }),
  keepSyncJobsDays: required({
    variable: 'KEEP_SYNC_JOBS_DAYS',
    description: 'Days for which sync jobs that ended are kept, with the failures of their items.',
    parse: Number,
    fallback: '90',
  }),
  keepAuditDays: required({
    variable: 'KEEP_AUDIT_DAYS',
    description: 'Days for which audit entries are kept.',
    parse: Number,
    fallback: '400',
  }),
  keepLimitWindowsDays: required({
    variable: 'KEEP_LIMIT_WINDOWS_DAYS',
    description: 'Days for which windows of the limits are kept after their end.',
    parse: Number,
    fallback: '7',
  }),
  keepSetAsideDays: required({
    variable: 'KEEP_SET_ASIDE_DAYS',
    description: 'Days for which changes that could not be published wait for a person.',
    parse: Number,
    fallback: '90',
  }),
  keepFailedJobsDays: required({
    variable: 'KEEP_FAILED_JOBS_DAYS',
    description: 'Days for which jobs of the queue that were given up are kept.',
    parse: Number,
    fallback: '30',
  }),
  encryptionKey: optional({
    variable: 'ENCRYPTION_KEY',
    description:
      'Encrypts webhook signing secrets at rest: one key, or several as id:key,id:key, the current first.',
    parse: encryptionKeys,
  }),
  app: optional({
    variable: 'APP',
    description:
      'on: the API serves the in-house app at /app; off: it does not; unset: with the embedded database only.',
    parse: word<'APP'>,
  }),
  seedDemo: optional({
    variable: 'SEED_DEMO',
    description: 'true: make the demo location on any empty database; false: never; unset: embedded only.',
    parse: (word) => word === 'true',
  }),
  apiProcesses: required({
    variable: 'API_PROCESSES',
    description:
      'API processes that share the port; unset, one less than the machine has cores, at least one.',
    parse: Number,
    fallback: String(Math.min(64, Math.max(1, availableParallelism() - 1))),
  }),
  apiConnections: required({
    variable: 'API_CONNECTIONS',
    description: 'Connections to the database that the requests of one API process share.',
    parse: Number,
    fallback: String(workLimits.api.connections),
  }),
  workerConnections: required({
    variable: 'WORKER_CONNECTIONS',
    description: 'Connections to the database of one worker, all kinds of work together.',
    parse: Number,
    fallback: '24',
  }),
  workerPort: optional({
    variable: 'WORKER_PORT',
    description:
      'TCP port at HOST on which a worker answers /healthz, /readyz and /metrics; unset, it listens nowhere.',
    parse: Number,
  }),
  drainSeconds: required({
    variable: 'DRAIN_SECONDS',
    description:
      'Seconds that requests, tasks and attempts in flight are waited for when a process is asked to stop.',
    parse: Number,
    fallback: String(stopping.requestsMs / 1_000),
  }),
  trustedProxies: required({
    variable: 'TRUSTED_PROXIES',
    description:
      'Address ranges of the proxies in front, comma-separated: only their X-Forwarded-For names the caller.',
    parse: ranges,
    fallback: '',
  }),
};

/** All settings, parsed: durations carry their unit in the name, `dataDir` is absolute. */
export type Settings = {
  [K in keyof typeof settingsTable]: (typeof settingsTable)[K] extends { fallback: string }
    ? RowValue<K>
    : RowValue<K> | undefined;
};

type RowValue<K extends keyof typeof settingsTable> = ReturnType<(typeof settingsTable)[K]['parse']>;

/**
 * Reads every setting from an environment; a variable set to nothing counts as unset. A process that seals and
 * opens no secret (`seals: false`) needs no key in production.
 * @throws {SettingsError} for the first variable whose text is refused, or that production lacks.
 */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  needs: { seals?: boolean } = {},
): Settings {
  const fault = faultIn(env, needs);
  if (fault !== undefined) throw new SettingsError(fault);
  const { given } = readFiles(env);
  const entries = Object.entries<SettingRow<unknown>>(settingsTable).map(([field, row]) => {
    const text = given[row.variable]?.trim() || row.fallback;
    return [field, text === undefined ? undefined : row.parse(text)];
  });
  return Object.fromEntries(entries);
}

function required<T>(row: SettingRow<T> & { fallback: string }): SettingRow<T> & { fallback: string } {
  return row;
}

function optional<T>(row: Omit<SettingRow<T>, 'fallback'>): Omit<SettingRow<T>, 'fallback'> {
  return row;
}

function text(given: string): string {
  return given;
}

function word<Variable extends keyof typeof words>(given: string) {
  return given as (typeof words)[Variable][number];
}

function list(given: string): string[] {
  const parts = given.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

/** An address by itself is the range of that address alone. */
function ranges(given: string): string[] {
  return list(given).map((part) => (part.includes('/') ? part : `${part}/${part.includes(':') ? 128 : 32}`));
}

function retryDelays(given: string): [number, number, number, number] {
  const [second = 0, third = 0, fourth = 0, fifth = 0] = list(given).map(Number);
  return [second, third, fourth, fifth];
}

function encryptionKeys(given: string): string {
  parseEncryptionKeys(given);
  return given;
}
