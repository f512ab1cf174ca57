import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { issueCode, issueKey, newApiKey, parseApiKey, revokeKey, writeDemo } from '@comanda/api/services';
import { type Database, newId, openDatabase, statement } from '@comanda/db';
import { idOf } from './seed/known-ids.ts';

/** The name of the demo key. */
const demoKeyName = 'demo';
const demoLocationName = 'Cantina Aurora';

/**
 * Makes the demo location once, on a database without locations, all in one transaction; then sees to the demo
 * key: its text is kept in `DATA_DIR/demo-key` (mode 0600), and when the file is lost the old key is revoked and
 * a new one made. Returns no key when the database holds other people's locations. With `app`, a code for the app besides.
 */
export async function seedDemo({
  databaseUrl,
  dataDir,
  app = false,
}: {
  databaseUrl: string;
  dataDir: string;
  app?: boolean;
}): Promise<{ key: string | undefined; code?: string }> {
  const database = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'comanda-seed' });
  try {
    const file = join(dataDir, 'demo-key');
    const [any] = await database.run(findAnyLocation, []);
    if (any === undefined) await seedLocation(database, new Date(), file);
    const key = await demoKey(database, file);
    if (key === undefined || !app) return { key };
    const { code } = await issueCode(database, { name: 'demo', screens: ['board', 'day', 'desk'] });
    return { key, code };
  } finally {
    await database.close();
  }
}

async function seedLocation(database: Database, now: Date, keyFile: string): Promise<void> {
  const locationId = newId();
  await database.transaction(undefined, async (tx) => {
    const [made] = await tx.run(insertDemoLocation, [locationId, demoLocationName]);
    if (made === undefined) throw new Error('the demo location has no row');
    await writeDemo(tx, locationId, now, idOf);
    // The file first: a key whose text is not stored anywhere would be of no use.
    const { key, hash, prefix } = newApiKey(made);
    await keep(keyFile, key);
    await tx.run(insertDemoKey, [locationId, demoKeyName, prefix, hash]);
  });
}

const findAnyLocation = statement<{ id: string }>('find_any_location', 'select id from locations limit 1');

const insertDemoLocation = statement<{ code: string }>(
  'insert_demo_location',
  `insert into locations (id, name, timezone, currency) values ($1::uuid, $2, 'America/Montevideo', 'UYU') returning code`,
);

const insertDemoKey = statement(
  'insert_demo_key',
  `insert into api_keys (location_id, name, prefix, key_hash, permissions) values ($1::uuid, $2, $3, $4::bytea, '{*}')`,
);

async function demoKey(database: Database, file: string): Promise<string | undefined> {
  const known = await database.run(findDemoKeys, [demoKeyName, demoLocationName]);
  const [first] = known;
  if (first === undefined) return undefined;
  const text = await readFile(file, 'utf8').then(
    (content) => content.trim(),
    () => undefined,
  );
  const hash = text === undefined ? undefined : parseApiKey(text)?.hash;
  const current = known.find((row) => !row.revoked && hash?.equals(row.keyHash));
  if (text !== undefined && current !== undefined) return text;
  for (const row of known) if (!row.revoked) await revokeKey(database, row.id);
  const { key } = await issueKey(database, {
    name: demoKeyName,
    permissions: ['*'],
    location_id: first.locationId,
  });
  await keep(file, key);
  return key;
}

const findDemoKeys = statement<{ id: string; locationId: string; keyHash: Buffer; revoked: boolean }>(
  'find_demo_keys',
  `select k.id, k.location_id as "locationId", k.key_hash as "keyHash", k.revoked_at is not null as revoked
   from api_keys k join locations l on l.id = k.location_id where k.name = $1 and l.name = $2 order by k.created_at`,
);

async function keep(file: string, key: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await rm(file, { force: true });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
}
