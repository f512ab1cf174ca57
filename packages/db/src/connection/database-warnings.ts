import { type Settings, settingsTable } from '../settings/settings.ts';
import { openDatabase, type Queryable, statement } from './database.ts';

/**
 * Warnings about the settings that lead to the database, as the database shows them: a role that owns the tables, in
 * production; a prefix of other roles than that of the session; a direct URL that leads to another database. A sentence
 * for each, without secrets. Opens a connection to each URL and closes it. Throws what the database throws.
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
  const database = openDatabase({
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

/** The role of the session and its database. */
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

/** The role of the session. $1 prefix of the roles. */
export const sessionRole = statement<SessionRole>(
  'session_role',
  `select session_user as name, has_table_privilege('public.events', 'TRUNCATE') as owns,
     (select count(*)::int from pg_roles
      where rolname = any (array[$1::text || '_owner', $1 || '_service', $1 || '_admin', $1 || '_reader'])) as roles`,
);
