import { once } from 'node:events';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { roleName } from '../../packages/db/src/roles/names.ts';
import { readSettings } from '../../packages/db/src/settings.ts';
import { say } from '../../packages/db/src/terminal.ts';
import { embeddedServiceUrl } from '../../packages/embedded/src/server.ts';
import { freePort } from '../port.mjs';
import { findDatabase } from '../supervisor/database.ts';
import { readBundle } from './bundle.ts';
import { openStudioDatabase } from './database.ts';
import { deskAddress } from './desk.ts';
import { makeDoor } from './door.ts';
import { serveStudio } from './server.ts';

/** What the command line of npm run studio says. */
export interface StudioArguments {
  port: number | null;
  /** Whose edits the audit tells. */
  name: string;
  readOnly: boolean;
  /** Where the service answers, which has the desk. */
  desk: string | undefined;
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
  const { port: wanted, name, readOnly, desk: said } = readArguments(args);
  const bundle = readBundle();
  const kind = readOnly ? 'reader' : 'admin';
  const url = await findDatabase(env, kind);
  if (url === null) throw new Error('no running database: run npm start first, or set DATABASE_URL');
  const { DATABASE_ROLE_PREFIX } = env;
  const asked = roleName(readSettings({ DATABASE_ROLE_PREFIX }).databaseRolePrefix, kind);
  const desk = deskAddress(said, runningService(env));
  const { user, role } = await roleThere(url, asked);
  const port = await freePort(wanted ?? 5555);
  if (wanted !== null && port !== wanted) throw new Error(`--port: ${wanted} is taken`);
  const database = await openStudioDatabase({ url, name, role, readOnly });
  try {
    const door = makeDoor(port);
    const title = `Studio · ${name}${readOnly ? ' · reads only' : ''}`;
    const entered = () => say(`For another browser, or a later day: ${door.address()}`);
    const server = await serveStudio(port, { bundle, database, door, title, desk, entered });
    say(`Prisma Studio: ${door.address()}`);
    say('the address lets one browser tab in, once; then another is printed here');
    say(`as ${name}, ${role ?? user}${readOnly ? ', reads only' : ''}; Ctrl-C ends it`);
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
      ...{ port: { type: 'string' }, as: { type: 'string' }, desk: { type: 'string' } },
      'read-only': { type: 'boolean' },
    },
  });
  const port = values.port === undefined ? null : Number(values.port);
  if (port !== null && (!Number.isInteger(port) || port < 1 || port > 65_535))
    throw new Error('--port: must be from 1 to 65535');
  const name = values.as ?? 'studio';
  // Where one role does everything, the guards know the service by a name that begins so.
  if (!/^[\w .@-]{1,40}$/.test(name) || /^comanda/i.test(name.trim()))
    throw new Error(
      '--as: a name of 1 to 40 letters, digits, spaces and . @ - _, which does not begin with comanda',
    );
  return { port, name: name.trim(), readOnly: values['read-only'] === true, desk: values.desk };
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

/**
 * Who the URL's user is, and which role it takes: `asked`, or none where one role does everything.
 * @throws {Error} the roles are apart, and the user does not belong to that one.
 */
async function roleThere(url: string, asked: string): Promise<{ user: string; role: string | null }> {
  const client = new pg.Client({ connectionString: url, application_name: 'studio' });
  await client.connect();
  try {
    const { rows } = await client.query<{ user: string; apart: boolean | null; member: boolean | null }>(
      `select current_user as user, has_table_privilege(to_regrole($1), to_regclass('public.locations'), 'SELECT') as apart,
         pg_has_role(to_regrole($1), 'MEMBER') as member`,
      [asked],
    );
    const [found = { user: '', apart: null, member: null }] = rows;
    if (found.apart !== true) return { user: found.user, role: null };
    if (found.member === true) return { user: found.user, role: asked };
    throw new Error(
      `DATABASE_URL is ${found.user}'s: give Studio that of ${asked}, or of a role that is granted it (docs/operations.md#roles)`,
    );
  } finally {
    await client.end();
  }
}
