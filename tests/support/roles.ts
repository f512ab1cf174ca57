import pg from 'pg';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { migrateQueue } from '../../packages/db/src/migrations/queue.ts';
import type { RoleKind } from '../../packages/db/src/roles/access.ts';
import { applyRoles } from '../../packages/db/src/roles/apply.ts';
import { roleKinds, roleName } from '../../packages/db/src/roles/names.ts';

const password = 'roles-of-tests-need-no-secret';

/** The same database as another of the roles that the URL's user belongs to; any other user's URL as it is. */
export function roleUrl(url: string, role: RoleKind): string {
  const parsed = new URL(url);
  const prefix = /^(.+)_(owner|service|admin|reader)$/.exec(parsed.username)?.[1];
  if (prefix === undefined) return url;
  parsed.username = roleName(prefix, role);
  return parsed.href;
}

/** The URL of a database as one of the roles that `makeRoles` has made. */
export function urlAs(url: string, prefix: string, role: RoleKind): string {
  const parsed = new URL(url);
  parsed.username = roleName(prefix, role);
  parsed.password = password;
  return parsed.href;
}

/** Makes the four roles for the database of a URL whose user may do that, and lets them log in. */
async function makeRoles(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await applyRoles(client, prefix);
    for (const kind of roleKinds)
      await client.query(`alter role ${roleName(prefix, kind)} login password '${password}'`);
    // Tests look at the sessions of others, and end them.
    await client.query(`grant pg_read_all_stats, pg_signal_backend to ${roleName(prefix, 'owner')}`);
  } finally {
    await client.end();
  }
}

/** Makes the four roles for an empty database, and migrates it as its owner. */
export async function migrateWithRoles(url: string, prefix: string): Promise<void> {
  await makeRoles(url, prefix);
  const ownerUrl = urlAs(url, prefix, 'owner');
  await migrateQueue(ownerUrl);
  await migrate(ownerUrl, { rolePrefix: prefix });
}

/** A session of one of the roles, such as psql opens; close it by `end`. */
export async function openAs(url: string, role: RoleKind): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: roleUrl(url, role), application_name: 'psql' });
  client.on('error', () => {});
  await client.connect();
  return client;
}
