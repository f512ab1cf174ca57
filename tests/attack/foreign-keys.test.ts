import { beforeAll, describe, expect, test } from 'vitest';
import { statementFor } from '../db/statement-for.ts';
import { useApi } from '../support/api.ts';
import { openAs } from '../support/roles.ts';
import { sqlOf } from '../support/sql.ts';
import { locationTables, type Neighbour, openNeighbour } from './neighbour.ts';

/** A foreign key as the catalog has it; `columns` and `referenced` in the same order. */
interface ForeignKey {
  name: string;
  child: string;
  parent: string;
  columns: string[];
  referenced: string[];
}

/** Columns that name a row of the location without a foreign key, and why. */
const loose: Readonly<Record<string, string>> = {
  'audit_entries.api_key_id': 'an entry outlives the key that acted',
  'audit_entries.caused_by': 'names an entry of the same statement, and goes with it',
  'audit_entries.resource_id': 'names resources of any kind, which may be gone',
  'audit_entries.undo_of': 'an entry outlives the one that it undid',
  'captured_changes.location_id': 'a queue: what waits for the relay must not slow down a deletion',
  'captured_changes.seed': 'names a transaction',
  'certifications.held_endpoint_id': 'the endpoint that plays being down may be deleted meanwhile',
  'endpoint_clearings.after_id': 'a place among deliveries, which are going',
  'endpoint_clearings.endpoint_id': 'names an endpoint that may be gone',
  'endpoint_clearings.location_id': 'a queue: what waits for the worker must not slow down a deletion',
  'events.resource_id': 'names resources of any kind, which may be gone',
  'moved_locations.location_id': 'the location has left; its code leads callers on',
  'order_items.product_id': 'an order keeps naming a product that was deleted',
  'order_moves.moved_by': 'a move outlives the key that made it',
  'orders.created_by': 'an order outlives the key that made it',
  'price_changes.api_key_id': 'planned prices outlive the key that planned them',
  'price_changes.category_id': 'the category may be deleted before the prices change',
  'settlement_entries.created_by': 'an entry outlives the key that made it',
  'sync_jobs.api_key_id': 'a job outlives the key that made it',
  'tallies.location_id': 'a count: see tally_notes',
  'tally_notes.location_id':
    'a count: checking it would cost every order; it goes with the location by trigger',
  'webhook_attempts.endpoint_id': "repeats its delivery's",
  'webhook_attempts.event_id': "repeats its delivery's, which is bound",
  'webhook_deliveries.endpoint_id': 'an endpoint goes at once, its deliveries in batches',
};

const api = useApi();
let own: Neighbour;
let theirs: Neighbour;
let keys: ForeignKey[];
beforeAll(async () => {
  own = await openNeighbour(api);
  theirs = await openNeighbour(api);
  keys = await foreignKeys();
  await nameRows(keys.filter(({ parent }) => parent !== 'locations'));
});

test('every foreign key between tables of a location carries location_id', async () => {
  const tables = await locationTables(api);
  expect(keys.length).toBeGreaterThan(25);
  // The memory of a move is named by its location: there is one at most.
  const astray = keys.filter(({ name, parent, columns, referenced }) => {
    if (name === 'location_moves_id_fkey') return false;
    const at = columns.indexOf('location_id');
    return at < 0 || referenced[at] !== (parent === 'locations' ? 'id' : 'location_id');
  });
  expect(astray.map(({ name }) => name)).toEqual([]);
  const bound = new Set(keys.map(({ child }) => child));
  const unbound = Object.keys(loose).flatMap((column) => column.match(/^(.*)\.location_id$/)?.[1] ?? []);
  expect(tables.filter((table) => !bound.has(table))).toEqual([...unbound, 'locations'].sort());
});

test('every column that names a row is bound by a foreign key, or says why it is not', async () => {
  const rows = await api.sql<{ place: string }>(
    `select c.table_name || '.' || c.column_name as place from information_schema.columns c
     where c.table_schema in ('public', 'internal') and c.data_type = 'uuid' and c.column_name <> 'id'
       and c.table_name = any($1) order by 1`,
    [await locationTables(api)],
  );
  const bound = new Set(keys.flatMap(({ child, columns }) => columns.map((column) => `${child}.${column}`)));
  const free = rows.map(({ place }) => place).filter((place) => !bound.has(place));
  expect(free).toEqual(Object.keys(loose));
});

test('every table of a location has location_id first in its primary key', async () => {
  const rows = await api.sql<{ name: string; first: string }>(
    `select t.relname as name, a.attname as first from pg_index i
     join pg_class t on t.oid = i.indrelid
     join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
     where i.indisprimary and t.relname = any($1) and a.attname <> 'location_id' order by 1`,
    [await locationTables(api)],
  );
  // Codes are found by themselves alone, and not every audit entry is of a location.
  expect(rows.map(({ name }) => name)).toEqual([
    'app_codes',
    'audit_entries',
    'locations',
    'moved_locations',
  ]);
});

describe('a row that names a row of another location is refused', () => {
  test('for every foreign key, also for a person who writes SQL', async () => {
    const between = keys.filter(({ parent }) => parent !== 'locations');
    expect(between.length).toBeGreaterThan(15);
    for (const key of between) expect({ key: key.name, ...(await point(key)) }).toEqual(refusedBy(key));
  });

  test('for every foreign key, when a row is moved to another location', async () => {
    for (const key of keys.filter(({ parent }) => parent !== 'locations')) {
      const set = 'location_id = $2';
      const { code } = await attempt(key, `update "${key.child}" set ${set} where location_id = $1`, [
        own.locationId,
        theirs.locationId,
      ]);
      // A name that both locations use may stop it before the foreign key does.
      expect({ key: key.name, refused: ['23503', '23505'].includes(code) }).toEqual({
        key: key.name,
        refused: true,
      });
    }
  });

  test('by a foreign key that is seen to let the own row pass', async () => {
    const between = keys.filter(({ parent }) => parent !== 'locations');
    for (const key of between) {
      const own = await point(key, 'own');
      expect({ key: key.name, ...own }).toEqual({ key: key.name, code: '', constraint: '' });
    }
  });
});

const refusedBy = ({ name }: ForeignKey) => ({ key: name, code: '23503', constraint: name });

/** Points every row of our location at a row of the other location (or of the same) and returns the result of the database. */
function point(key: ForeignKey, at: 'theirs' | 'own' = 'theirs') {
  const pairs = key.columns
    .map((column, index) => ({ column, referenced: key.referenced[index] ?? '' }))
    .filter(({ column }) => column !== 'location_id');
  const set = pairs
    .map(
      ({ column, referenced }) =>
        `"${column}" = (select "${referenced}" from "${key.parent}" p where p.location_id = $2 and ${mate(key)} limit 1)`,
    )
    .join(', ');
  const target = at === 'theirs' ? theirs.locationId : own.locationId;
  return attempt(
    key,
    `update "${key.child}" c set ${set}
     where c.ctid = (select ctid from "${key.child}" where location_id = $1 and ${filled(pairs)} limit 1)`,
    [own.locationId, target],
  );
}

// Of its own rows, the one that it names already: others could meet a unique constraint.
function mate({ child, columns, referenced }: ForeignKey): string {
  const same = columns.map((column, index) => `p."${referenced[index]}" = c."${column}"`).join(' and ');
  return `(p.location_id <> (select location_id from "${child}" where location_id = $1 limit 1) or (${same}))`;
}

const filled = (pairs: readonly { column: string }[]) =>
  pairs.map(({ column }) => `"${column}" is not null`).join(' and ');

/** Runs it without the guards, which might refuse first, and takes it back. Throws when it met no row. */
async function attempt({ name, child }: ForeignKey, sql: string, values: unknown[]) {
  const client = await openAs(api.databaseUrl, 'owner');
  try {
    await client.query('begin; set local search_path = public, internal');
    await client.query(`alter table "${child}" disable trigger user`);
    await client.query(`select deed('repair: what cascades meets guards of other tables')`);
    const { rowCount } = await client.query(sql, values);
    if (rowCount === 0) throw new Error(`${name}: ${child} has no row to try it with`);
    await client.query('set constraints all immediate');
    return { code: '', constraint: '' };
  } catch (error) {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code === undefined) throw error;
    return { code, constraint: constraint ?? '' };
  } finally {
    await client.query('rollback');
    await client.end();
  }
}

/** Has a row of both locations name one by each foreign key where none does yet, since its column may be empty. */
async function nameRows(all: readonly ForeignKey[]): Promise<void> {
  const client = await api.pool.connect();
  const sql = sqlOf(client);
  await sql`set search_path = public, internal`;
  for (const { child: table, columns } of all)
    for (const { locationId } of [own, theirs]) {
      const column = columns.find((each) => each !== 'location_id') ?? '';
      const named = `select from "${table}" where location_id = $1 and "${column}" is not null limit 1`;
      if ((await sql(named, [locationId])).length > 0) continue;
      await sql(await statementFor(sql, locationId, { table, column }), [locationId]);
    }
  client.release(true);
}

async function foreignKeys(): Promise<ForeignKey[]> {
  const names = (oids: string, table: string) =>
    `(select array_agg(a.attname::text order by k.n) from unnest(${oids}) with ordinality k (num, n)
      join pg_attribute a on a.attrelid = ${table} and a.attnum = k.num)`;
  const rows = await api.sql<ForeignKey>(
    `select c.conname as name, child.relname as child, parent.relname as parent,
       ${names('c.conkey', 'c.conrelid')} as columns, ${names('c.confkey', 'c.confrelid')} as referenced
     from pg_constraint c join pg_class child on child.oid = c.conrelid join pg_class parent on parent.oid = c.confrelid
     where c.contype = 'f' and c.connamespace in ('public'::regnamespace, 'internal'::regnamespace)
       and c.confrelid <> 'internal.time_zones'::regclass order by 1`,
  );
  return rows;
}
