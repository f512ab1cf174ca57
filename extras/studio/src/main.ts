import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { freePort, type RoleKind, readSettings, roleKinds, roleName, sessionNamed } from '@comanda/db';
import { say } from '@comanda/db/terminal';
import { embeddedLoginUrl, embeddedServiceUrl } from '@comanda/embedded';
import { findDatabase } from '@comanda/embedded/database-url';
import pg from 'pg';
import { readBundle } from './bundle.ts';
import { openStudioDatabase } from './database.ts';
import { deskAddress } from './desk-links.ts';
import { makeDoor } from './door.ts';
import { makeGrids } from './grids.ts';
import { findScope, locationNames } from './scope.ts';
import { serveStudio } from './server.ts';

/** The options of the command line of npm run studio. */
export interface StudioArguments {
  port: number | null;
  /** The person whose edits the audit names; null where no name was given. */
  name: string | null;
  /** Reads only, unless `--edit` is given. */
  readOnly: boolean;
  /** Where the service answers, which has the desk. */
  desk: string | undefined;
  /** The only restaurant that is shown, by its id, code or name. */
  location: string | undefined;
}

/**
 * Serves Studio on the running database until the signal comes, and prints its address once it listens.
 * @throws {Error} with a line that says what to do.
 */
export async function main(
  args: string[],
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<number> {
  const { port: wanted, name: given, readOnly, desk: said, location } = readArguments(args);
  const bundle = readBundle();
  const kind = readOnly ? 'reader' : 'admin';
  const url = (await ownLogin(env, given, readOnly)) ?? (await findDatabase(env, kind));
  if (url === null) throw new Error('no running database: run npm start first, or set DATABASE_URL');
  const { DATABASE_ROLE_PREFIX } = env;
  const prefix = readSettings({ DATABASE_ROLE_PREFIX }).databaseRolePrefix;
  const desk = deskAddress(said, runningService(env));
  const { user, role, own } = await roleThere(url, prefix, readOnly ? ['reader', 'admin'] : ['admin']);
  if (own && given !== null && given !== user)
    throw new Error(`--as: the database is opened as ${user}, so ${user} makes the edits: leave --as out`);
  const name = own ? user : (given ?? 'studio');
  const port = await freePort(wanted ?? 5555);
  if (wanted !== null && port !== wanted) throw new Error(`--port: ${wanted} is taken`);
  // With an own login the audit has the person already; the name then states the program.
  const database = await openStudioDatabase({ url, name: own ? 'studio' : name, role, readOnly });
  try {
    const scope = location === undefined ? null : await findScope(database, location);
    const grids = makeGrids(database, scope);
    const locations = () => locationNames(database);
    const door = makeDoor(port);
    const place = scope === null ? '' : ` · ${scope.name}`;
    const title = `Studio · ${name}${place}${readOnly ? ' · reads only' : ''}`;
    const entered = () => say(`For another browser, or a later day: ${door.address()}`);
    const server = await serveStudio(port, { bundle, grids, locations, door, title, desk, entered });
    say(`Prisma Studio: ${door.address()}`);
    say('the address lets one browser tab in, once; then another is printed here');
    say(`as ${name}, ${role ?? user}${readOnly ? ', reads only (--edit to edit)' : ''}; Ctrl-C ends it`);
    say(scope === null ? 'all restaurants (--location for one)' : `${scope.name} alone`);
    if (!own && !readOnly)
      say(
        `the audit marks ${name} as stated, since ${user} is no login of one person: comanda db roles person makes one`,
      );
    if (desk !== null) say(`orders lead to the desk: ${desk}`);
    if (!signal.aborted) await once(signal, 'abort');
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    return 0;
  } finally {
    await database.close();
  }
}

/** @throws {Error} naming what is wrong. */
export function readArguments(args: string[]): StudioArguments {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string' },
      as: { type: 'string' },
      desk: { type: 'string' },
      location: { type: 'string' },
      edit: { type: 'boolean' },
    },
  });
  const port = values.port === undefined ? null : Number(values.port);
  if (port !== null && (!Number.isInteger(port) || port < 1 || port > 65_535))
    throw new Error('--port: must be from 1 to 65535');
  const name = values.as ?? null;
  // Where one role does everything, the guards know the service by a name that begins so.
  if (name !== null && (!/^[\w .@-]{1,40}$/.test(name) || /^comanda/i.test(name.trim())))
    throw new Error(
      '--as: a name of 1 to 40 letters, digits, spaces and . @ - _, which does not begin with comanda',
    );
  const { desk, location } = values;
  return { port, name: name?.trim() ?? null, readOnly: values.edit !== true, desk, location };
}

/** Where the service answers that runs on the embedded database. */
function runningService({
  DATABASE_URL,
  DATABASE_URL_FILE,
  DATA_DIR,
}: Readonly<Record<string, string | undefined>>): string | null {
  const { databaseUrl, dataDir } = readSettings({ DATABASE_URL, DATABASE_URL_FILE, DATA_DIR });
  return databaseUrl === undefined ? embeddedServiceUrl(dataDir) : null;
}

/** The embedded database as the person of that name, who has a login there; who only reads needs none. */
async function ownLogin(
  { DATABASE_URL, DATABASE_URL_FILE, DATA_DIR }: Readonly<Record<string, string | undefined>>,
  name: string | null,
  readOnly: boolean,
): Promise<string | null> {
  const { databaseUrl, dataDir } = readSettings({ DATABASE_URL, DATABASE_URL_FILE, DATA_DIR });
  return databaseUrl !== undefined || name === null || readOnly ? null : embeddedLoginUrl(dataDir, name);
}

/**
 * The URL's user, and the role that it takes: the first of these kinds that it belongs to, or none where one role does
 * everything. An admin who reads may have no login of a reader. `own`: the login is of one person alone, so no SQL
 * takes another name in the audit.
 * @throws {Error} the roles are apart, and the user belongs to none of these.
 */
async function roleThere(
  url: string,
  prefix: string,
  kinds: readonly RoleKind[],
): Promise<{ user: string; role: string | null; own: boolean }> {
  const asked = kinds.map((kind) => roleName(prefix, kind));
  const client = new pg.Client(sessionNamed(url, 'studio'));
  await client.connect();
  try {
    const { rows } = await client.query<{
      user: string;
      own: boolean;
      apart: boolean | null;
      taken: string | null;
    }>(
      `select session_user as user, not r.rolsuper and r.rolname !~ $2
           and r.oid is distinct from (select c.relowner from pg_class c where c.oid = to_regclass('public.locations')) as own,
         has_table_privilege(to_regrole(($1::text[])[1]), to_regclass('public.locations'), 'SELECT') as apart,
         (select k.name from unnest($1::text[]) with ordinality as k (name, place)
          where pg_has_role(to_regrole(k.name), 'MEMBER') order by k.place limit 1) as taken
       from pg_roles r where r.rolname = session_user`,
      [asked, `_(${roleKinds.join('|')})$`],
    );
    const [found = { user: '', own: false, apart: null, taken: null }] = rows;
    const { user, own } = found;
    if (found.apart !== true) return { user, own, role: null };
    if (found.taken !== null) return { user, own, role: found.taken };
    throw new Error(
      `DATABASE_URL is ${found.user}'s: give Studio that of ${asked[0]}, or of a role that is granted it (docs/operations/roles.md)`,
    );
  } finally {
    await client.end();
  }
}
