import { CommandError } from '@comanda/api/src/command-error.ts';
import {
  applyRoles,
  type Database,
  editUrl,
  openDatabase,
  type RoleKind,
  readSettings,
  roleName,
  rolesSql,
  type Settings,
  statement,
} from '@comanda/db';
import { embeddedUrl } from '@comanda/embedded';
import { z } from 'zod';
import type { Work } from './command.ts';
import { parse } from './input.ts';
import type { Lines } from './rows.ts';

/** The roles whose connection string a person may ask for. */
const RoleToShow = z.enum(['reader', 'admin', 'owner']);

/**
 * The connection string of a role, the reader's unless said; of a database elsewhere without the password. Where one role
 * does everything it is that one's, unless another is asked for.
 * @throws {CommandError} there is no such role here.
 */
async function urlOfRole(
  database: Database,
  settings: Settings,
  asked: RoleKind | undefined,
): Promise<string> {
  const role = asked ?? 'reader';
  const name = roleName(settings.databaseRolePrefix, role);
  if (settings.databaseUrl === undefined) return (await embeddedUrl(settings.dataDir, role)) ?? '';
  if (role === 'owner' && settings.databaseOwnerUrl !== undefined) return settings.databaseOwnerUrl;
  const [row] = await database.run(mayRead, [name]);
  if (row?.known === true) {
    return editUrl(settings.databaseDirectUrl ?? settings.databaseUrl, (url) => {
      if (url.username === name) return;
      url.username = name;
      url.password = '';
    });
  }
  if (asked === undefined) return settings.databaseUrl;
  throw new CommandError(
    'resource_not_found',
    `${name} has nothing to do here: comanda db roles --apply makes the roles`,
  );
}

const mayRead = statement<{ known: boolean }>(
  'role_may_read',
  `select coalesce((select has_table_privilege(oid, 'public.locations'::regclass, 'SELECT') from pg_roles where rolname = $1), false) as known`,
);

/** The result of `comanda db roles`: the SQL, or the changes made. */
type Roles = ReturnType<typeof rolesSql> | { roles: string; granted: boolean };

/** A session that may make roles. */
export type RoleMaker = Parameters<typeof applyRoles>[0];

/**
 * Runs the part that needs a role that may make roles: the user of DATABASE_URL, or the superuser of the embedded
 * database.
 */
export async function withRoleMaker<Result>(
  { databaseDirectUrl, databaseUrl, dataDir }: Settings,
  work: (client: RoleMaker, url: string) => Promise<Result>,
): Promise<Result> {
  const url = databaseDirectUrl ?? databaseUrl ?? (await embeddedUrl(dataDir, 'superuser'));
  if (url === null) throw new CommandError('invalid_request', 'no database is running; set DATABASE_URL');
  const database = openDatabase({ url, poolSize: 1, applicationName: 'comanda-cli' });
  try {
    const client = await database.pool.connect();
    try {
      return await work(client, url);
    } finally {
      client.release();
    }
  } finally {
    await database.close();
  }
}

/** The SQL of the roles; with `apply` it is run. Throws CommandError, and what the database throws. */
async function databaseRoles(environment: NodeJS.ProcessEnv, apply: boolean): Promise<Roles> {
  const settings = readSettings(environment, { seals: false });
  const { databaseRolePrefix: prefix } = settings;
  if (!apply) return rolesSql(prefix);
  return withRoleMaker(settings, async (client) => ({
    roles: `${prefix}_…`,
    granted: await applyRoles(client, prefix),
  }));
}

/** The SQL as a script for psql; or what was done, in words. */
function rolesText(value: unknown): Lines {
  const roles = value as Roles;
  if ('granted' in roles)
    return [
      roles.granted
        ? `${roles.roles} are made, and may do what they should`
        : `${roles.roles} are made; the database was not brought to this version yet: comanda migrate grants the rest`,
    ];
  return [
    '-- For who may make roles and grants on the database.',
    ...roles.setup.flatMap((each) => `${each};`.split('\n')),
    '',
    '-- For the owner, once the tables are there; its migrations do this by themselves.',
    ...roles.grants.flatMap((each) => `${each};`.split('\n')),
  ];
}

/** `comanda db url` */
export const showUrl: Work = {
  run: async ({ database, settings }, { role }) => ({
    url: await urlOfRole(database, settings, role === undefined ? undefined : parse(RoleToShow, role)),
  }),
  // Alone, so that it can be part of a command: psql "$(comanda db url)".
  show: (value) => [(value as { url: string }).url],
};

/** `comanda db roles` */
export const applyOrPrintRoles: Work = {
  runAlone: (environment, { apply }) => databaseRoles(environment, apply !== undefined),
  show: rolesText,
};
