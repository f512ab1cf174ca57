import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { parseEncryptionKeys } from './encryption-keys.ts';
import { repositoryRoot } from './root.ts';
import { SettingsError } from './settings-error.ts';

export { SettingsError } from './settings-error.ts';

/** One setting: the environment variable, what it means, how its text is read, what holds when it is unset. */
export interface SettingRow<T> {
  variable: string;
  description: string;
  parse: z.ZodType<T, string>;
  /** Text that stands for an unset variable; without it the field is undefined. */
  fallback?: string;
  /** The value never appears in an error message. */
  secret?: boolean;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Every setting of every process: the start, the documents and `--help` read this table. */
export const settingsTable = {
  nodeEnv: required({
    variable: 'NODE_ENV',
    description: 'Mode: production asks for an ENCRYPTION_KEY and makes no demo data by itself.',
    parse: oneOf(['development', 'production', 'test']),
    fallback: 'development',
  }),
  port: required({
    variable: 'PORT',
    description: 'TCP port of the API; 0 takes any free one.',
    parse: wholeNumber(0, 65_535),
    fallback: '3000',
  }),
  host: required({
    variable: 'HOST',
    description: 'Address the API listens on; 0.0.0.0 opens it to the network.',
    parse: text(),
    fallback: '127.0.0.1',
  }),
  databaseUrl: optional({
    variable: 'DATABASE_URL',
    description: 'PostgreSQL (15 or later) to use; unset, npm start runs an embedded one in DATA_DIR.',
    parse: postgresUrl(),
    secret: true,
  }),
  databaseDirectUrl: optional({
    variable: 'DATABASE_DIRECT_URL',
    description:
      'The same database past a pooler in transaction mode, which DATABASE_URL then is: for the worker and what listens.',
    parse: postgresUrl(),
    secret: true,
  }),
  databaseOwnerUrl: optional({
    variable: 'DATABASE_OWNER_URL',
    description:
      'The same database as its owner, past a pooler: for migrations. Unset, the role of DATABASE_URL does everything.',
    parse: postgresUrl(),
    secret: true,
  }),
  databaseRolePrefix: required({
    variable: 'DATABASE_ROLE_PREFIX',
    description:
      'What the names of the four roles begin with, so that databases of one server can have their own.',
    parse: z.string().regex(/^[a-z_][a-z0-9_]{0,49}$/, 'must be small letters, digits and underscores'),
    fallback: 'comanda',
  }),
  databaseReplicaUrl: optional({
    variable: 'DATABASE_REPLICA_URL',
    description: 'A streaming standby of the same database, for lists, the catalog, exports and reports.',
    parse: postgresUrl(),
    secret: true,
  }),
  dataDir: required({
    variable: 'DATA_DIR',
    description: 'Folder of the embedded database and generated keys; relative to the repository root.',
    parse: text().transform((path) => resolve(repositoryRoot, path)),
    fallback: '.data',
  }),
  logLevel: required({
    variable: 'LOG_LEVEL',
    description: 'Least severe log lines to write.',
    parse: oneOf(LOG_LEVELS),
    fallback: 'info',
  }),
  webhookTimeoutMs: required({
    variable: 'WEBHOOK_TIMEOUT_MS',
    description: 'Time a webhook consumer has to answer, in milliseconds.',
    parse: wholeNumber(1, 30_000),
    fallback: '30000',
  }),
  webhookRetryDelaysSeconds: required({
    variable: 'WEBHOOK_RETRY_DELAYS',
    description: 'Seconds to wait before delivery attempts 2, 3, 4 and 5.',
    parse: retryDelays(),
    fallback: '60,300,900,3600',
  }),
  webhookTargets: required({
    variable: 'WEBHOOK_TARGETS',
    description: 'public: https to public addresses only; any: also http and private addresses.',
    parse: oneOf(['public', 'any']),
    fallback: 'public',
  }),
  webhookAllowCidrs: required({
    variable: 'WEBHOOK_ALLOW_CIDRS',
    description: 'Address ranges that webhooks may reach although they are not public, comma-separated.',
    parse: cidrList(),
    fallback: '',
  }),
  idempotencyTtlHours: required({
    variable: 'IDEMPOTENCY_TTL_HOURS',
    description: 'Hours for which an idempotency key replays its answer.',
    parse: wholeNumber(1, 8_760),
    fallback: '168',
  }),
  keepEventsDays: required({
    variable: 'KEEP_EVENTS_DAYS',
    description: 'Days for which events and their deliveries are kept; the feed and replays promise 30.',
    parse: wholeNumber(30, 36_500),
    fallback: '30',
  }),
  keepAttemptsDays: required({
    variable: 'KEEP_ATTEMPTS_DAYS',
    description: 'Days for which delivery attempts are kept, at most as long as their event.',
    parse: wholeNumber(1, 36_500),
    fallback: '30',
  }),
  keepSyncJobsDays: required({
    variable: 'KEEP_SYNC_JOBS_DAYS',
    description: 'Days for which sync jobs that ended are kept, with the failures of their items.',
    parse: wholeNumber(1, 36_500),
    fallback: '90',
  }),
  keepAuditDays: required({
    variable: 'KEEP_AUDIT_DAYS',
    description: 'Days for which audit entries are kept.',
    parse: wholeNumber(30, 36_500),
    fallback: '400',
  }),
  keepLimitWindowsDays: required({
    variable: 'KEEP_LIMIT_WINDOWS_DAYS',
    description: 'Days for which windows of the limits are kept after their end.',
    parse: wholeNumber(1, 36_500),
    fallback: '7',
  }),
  keepSetAsideDays: required({
    variable: 'KEEP_SET_ASIDE_DAYS',
    description: 'Days for which changes that could not be published wait for a person.',
    parse: wholeNumber(7, 36_500),
    fallback: '90',
  }),
  keepFailedJobsDays: required({
    variable: 'KEEP_FAILED_JOBS_DAYS',
    description: 'Days for which jobs of the queue that were given up are kept.',
    parse: wholeNumber(1, 36_500),
    fallback: '30',
  }),
  encryptionKey: optional({
    variable: 'ENCRYPTION_KEY',
    description:
      'Encrypts webhook signing secrets at rest: one key, or several as id:key,id:key, the current first.',
    parse: encryptionKeys(),
    secret: true,
  }),
  seedDemo: optional({
    variable: 'SEED_DEMO',
    description: 'true: make the demo location on any empty database; false: never; unset: embedded only.',
    parse: oneOf(['true', 'false']).transform((word) => word === 'true'),
  }),
  apiProcesses: required({
    variable: 'API_PROCESSES',
    description:
      'API processes that share the port; unset, one less than the machine has cores, at least one.',
    parse: wholeNumber(1, 64),
    fallback: String(Math.min(64, Math.max(1, availableParallelism() - 1))),
  }),
};

/** All settings, parsed: durations carry their unit in the name, `dataDir` is absolute. */
export type Settings = {
  [K in keyof typeof settingsTable]: (typeof settingsTable)[K] extends { fallback: string }
    ? RowValue<K>
    : RowValue<K> | undefined;
};

type RowValue<K extends keyof typeof settingsTable> = z.output<(typeof settingsTable)[K]['parse']>;

/**
 * Reads every setting from an environment; a variable set to nothing counts as unset.
 * @throws {SettingsError} for the first variable whose text is refused, or that production lacks.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const entries = Object.entries<SettingRow<unknown>>(settingsTable).map(([field, row]) => [
    field,
    readRow(row, env[row.variable]),
  ]);
  const settings: Settings = Object.fromEntries(entries);
  if (settings.nodeEnv === 'production' && settings.encryptionKey === undefined) {
    throw new SettingsError('ENCRYPTION_KEY: must be set when NODE_ENV=production');
  }
  return settings;
}

function readRow(row: SettingRow<unknown>, given: string | undefined): unknown {
  const raw = given?.trim() ? given.trim() : row.fallback;
  if (raw === undefined) return undefined;
  const result = row.parse.safeParse(raw);
  if (result.success) return result.data;
  const reason = result.error.issues[0]?.message ?? 'cannot be read';
  throw new SettingsError(`${row.variable}: ${reason}${row.secret ? '' : ` (got ${JSON.stringify(raw)})`}`);
}

function required<T>(row: SettingRow<T> & { fallback: string }): SettingRow<T> & { fallback: string } {
  return row;
}

function optional<T>(row: Omit<SettingRow<T>, 'fallback'>): Omit<SettingRow<T>, 'fallback'> {
  return row;
}

function text() {
  return z.string().min(1, 'must not be empty');
}

function oneOf<const W extends readonly string[]>(words: W) {
  return z.string().transform((raw, context): W[number] => {
    const word = words.find((known) => known === raw);
    return word ?? refuse(context, `must be one of ${words.join(', ')}`);
  });
}

function wholeNumber(least: number, most: number) {
  return z.string().transform((raw, context): number => {
    const value = /^\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN;
    return value >= least && value <= most
      ? value
      : refuse(context, `must be a whole number from ${least} to ${most}`);
  });
}

function retryDelays() {
  return z.string().transform((raw, context): [number, number, number, number] => {
    const parts = raw.split(',').map((part) => part.trim());
    const [second, third, fourth, fifth, ...rest] = parts.map(Number);
    const known = parts.every((part) => /^\d{1,7}(\.\d{1,3})?$/.test(part)) && rest.length === 0;
    return known && second !== undefined && third !== undefined && fourth !== undefined && fifth !== undefined
      ? [second, third, fourth, fifth]
      : refuse(context, 'must be four numbers of seconds separated by commas');
  });
}

function cidrList() {
  return z.string().transform((raw, context): string[] => {
    const ranges = raw
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return ranges.every(isCidr)
      ? ranges
      : refuse(context, 'must be address ranges like 10.0.0.0/8 separated by commas');
  });
}

function isCidr(range: string): boolean {
  const [address = '', bits = '', ...rest] = range.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
}

function encryptionKeys() {
  return z.string().transform((raw, context): string => {
    try {
      parseEncryptionKeys(raw);
      return raw;
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return refuse(context, error.message.replace('ENCRYPTION_KEY: ', ''));
    }
  });
}

function postgresUrl() {
  return z
    .string()
    .refine(
      (raw) => /^postgres(ql)?:\/\//.test(raw) && URL.canParse(raw),
      'must be a URL like postgresql://user:password@host:5432/database',
    );
}

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
