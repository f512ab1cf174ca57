import { type Settings, settingsTable } from './settings.ts';
import { openSqlDatabase, type Queryable, statement } from './sql-database.ts';

/**
 * Settings that are allowed and yet do harm, or do nothing, where they are set: a sentence for each, without secrets. The start,
 * `comanda config` and doctor report them; `readSettings` has refused what is not allowed.
 */
export function settingWarnings(settings: Settings): string[] {
  const { nodeEnv, host, databaseUrl, encryptionKey, keepAttemptsDays, keepEventsDays } = settings;
  const production = nodeEnv === 'production';
  const warnings = [
    production &&
      settings.webhookTargets === 'any' &&
      'WEBHOOK_TARGETS=any lets webhooks reach the inner network',
    ...settings.webhookAllowCidrs.map(
      (range) =>
        range.endsWith('/0') &&
        `WEBHOOK_ALLOW_CIDRS=${range} lets webhooks reach every address, the inner network included`,
    ),
    ...settings.trustedProxies.map(
      (range) =>
        range.endsWith('/0') &&
        `TRUSTED_PROXIES=${range} lets every caller choose the address that the log and the audit name`,
    ),
    production &&
      settings.seedDemo === true &&
      'SEED_DEMO=true makes a demo location with a key that may do everything',
    production &&
      databaseUrl === undefined &&
      'DATABASE_URL is not set: production runs on the embedded database',
    !production &&
      !/^(127\.|::1$|localhost$)/.test(host) &&
      `HOST=${host} opens the API to the network, NODE_ENV is ${nodeEnv}`,
    settings.deliveries === 'paused' && 'DELIVERIES=paused: no webhook is sent',
    settings.logLevel === 'silent' && 'LOG_LEVEL=silent: nothing is logged, not even faults',
    databaseUrl !== undefined &&
      encryptionKey === undefined &&
      'ENCRYPTION_KEY is not set: the key is in DATA_DIR of one machine, while the database is elsewhere',
    keepAttemptsDays > keepEventsDays &&
      `KEEP_ATTEMPTS_DAYS=${keepAttemptsDays} has no effect beyond KEEP_EVENTS_DAYS=${keepEventsDays}: attempts are removed with their event`,
  ];
  return warnings.filter((warning) => typeof warning === 'string');
}

/**
 * What the database shows of the settings that lead to it: a role that owns the tables, in production; a prefix of other roles
 * than that of the session; a direct URL that leads to another database. A sentence for each, without secrets.
 * Opens a connection to each URL and closes it. Throws what the database throws.
 */
export async function databaseSettingWarnings(
  settings: Pick<Settings, 'databaseUrl' | 'databaseDirectUrl' | 'databaseRolePrefix' | 'nodeEnv'>,
): Promise<string[]> {
  const { databaseUrl, databaseDirectUrl, databaseRolePrefix: prefix, nodeEnv } = settings;
  if (databaseUrl === undefined) return [];
  const [role, epoch] = await on(databaseUrl, async (database) => {
    const [row] = await database.run(sessionRole, [prefix]);
    const [place] = await database.run(whereItLeads, []);
    return [row, place?.epoch];
  });
  const direct =
    databaseDirectUrl &&
    (await on(databaseDirectUrl, async (database) => (await database.run(whereItLeads, []))[0]?.epoch));
  const warnings = [
    nodeEnv === 'production' &&
      role?.owns === true &&
      `DATABASE_URL: the role ${role.name} owns the tables; the service needs a role that cannot change them`,
    role && prefixWarning(role, prefix),
    direct !== undefined &&
      direct !== epoch &&
      'DATABASE_DIRECT_URL leads to another database than DATABASE_URL',
  ];
  return warnings.filter((warning) => typeof warning === 'string');
}

/** Finds them and passes each to `warn`; never rejects. For a start, once the database has been reached. */
export async function reportDatabaseSettings(
  settings: Parameters<typeof databaseSettingWarnings>[0],
  warn: (line: string) => void,
): Promise<void> {
  try {
    for (const each of await databaseSettingWarnings(settings)) warn(each);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`the settings could not be compared with the database: ${reason}`);
  }
}

/** A prefix of roles that is set and is not that of the role of the service; undefined where it fits, or nothing shows it. */
export function prefixWarning({ name, roles }: SessionRole, prefix: string): string | undefined {
  if (prefix === settingsTable.databaseRolePrefix.fallback) return undefined;
  const own = /^(.+)_service$/.exec(name)?.[1];
  if (own === undefined ? roles > 0 : own === prefix) return undefined;
  return `DATABASE_ROLE_PREFIX=${prefix} is not the prefix of the role ${name}, as which the service runs`;
}

async function on<Result>(url: string, look: (database: Queryable) => Promise<Result>): Promise<Result> {
  const database = openSqlDatabase({
    url,
    poolSize: 1,
    applicationName: 'comanda-settings',
    unnamed: true,
  });
  try {
    return await look(database);
  } finally {
    await database.close();
  }
}

/** Who the session is, and which database it is in. */
export const whereItLeads = statement<{ name: string; epoch: string }>(
  'where_it_leads',
  'select session_user as name, database_epoch() as epoch',
);

/** The role of a session. */
export interface SessionRole {
  name: string;
  /** Whether it owns what it works on. */
  owns: boolean;
  /** How many of the four roles of the prefix there are. */
  roles: number;
}

/** Who the session is. $1 prefix of the roles. */
export const sessionRole = statement<SessionRole>(
  'session_role',
  `select session_user as name, has_table_privilege('public.events', 'TRUNCATE') as owns,
     (select count(*)::int from pg_roles
      where rolname = any (array[$1::text || '_owner', $1 || '_service', $1 || '_admin', $1 || '_reader'])) as roles`,
);
