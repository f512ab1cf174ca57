import type { Table } from '../../packages/db/src/tables/table.ts';
import type { Hand } from '../support/by-hand.ts';

/** The rows of each table by their keys. */
export type Rows = ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, unknown>>>>;

/** Columns that triggers change, and no entry has (auditing.sql); `updated_at` and `revision` follow from every change. */
const followed: Readonly<Record<string, readonly string[]>> = { menus: ['version'] };
/** Rows that triggers add, and no entry has: an order that is inserted without its payment gets one. */
const added = [{ table: 'payments', with: 'orders', by: 'order_id' }] as const;
/** Columns of a table that no entry has. */
export const left = (table: string): string[] => [
  'updated_at',
  'search_text',
  'external_id_twin',
  'sku_twin',
  'revision',
  ...(followed[table] ?? []),
];

/** What entries have of a row of the table, as SQL. */
const entered = ({ name, columns }: Table): string => {
  const secret = Object.entries(columns).flatMap(([column, { secret }]) => (secret ? [column] : []));
  return `to_jsonb(t) - '{${[...left(name), ...secret].join()}}'::text[]`;
};

/** Reads every row of the tables. */
export async function readRows(hand: Hand, tables: readonly Table[]): Promise<Rows> {
  const found = new Map<string, Map<string, Record<string, unknown>>>();
  for (const table of tables) {
    const { name, key, columns } = table;
    const own = 'location_id' in columns ? ['location_id', ...key] : key;
    const rows = await hand.sql<{ row: Record<string, unknown> }>(
      `select ${entered(table)} as row from ${name} t`,
    );
    found.set(name, new Map(rows.map(({ row }) => [keyOf(row, own), row])));
  }
  return found;
}

/** A digest of the rows of each table, in no order. */
export async function readDigests(
  hand: Hand,
  tables: readonly Table[],
): Promise<ReadonlyMap<string, string>> {
  const each = tables.map(
    (table) =>
      `select '${table.name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended((${entered(table)})::text, 0)), 0) as digest from ${table.name} t`,
  );
  const rows = await hand.sql<{ name: string; digest: string }>(each.join(' union all '));
  return new Map(rows.map(({ name, digest }) => [name, digest]));
}

/** A row by the values of its key. */
export const keyOf = (row: Readonly<Record<string, unknown>>, columns: readonly string[]): string =>
  [...columns]
    .sort()
    .map((column) => `${column}=${String(row[column])}`)
    .join(' ');

interface Entry {
  location_id: string | null;
  operation: string;
  relation: string;
  row_count: number;
  changes: {
    rows: {
      key: Record<string, unknown>;
      before: Record<string, unknown> | null;
      after: Record<string, unknown> | null;
    }[];
    keys?: Record<string, unknown>[];
    digest?: string;
  };
}

/**
 * The rows before, with what the entries of a transaction did to them, of this one unless another's moment is given. Of rows whose
 * values no entry has, those of today.
 */
export async function replay(hand: Hand, before: Rows, moment?: string): Promise<Rows> {
  const rows = new Map([...before].map(([name, known]) => [name, new Map(known)]));
  const entries = await hand.sql<Entry>`
    select * from audit_entries where created_at = coalesce(${moment ?? null}, now())::timestamptz(3) and actor_kind = 'database' order by id`;
  for (const entry of entries) {
    const table = rows.get(entry.relation);
    if (table === undefined) throw new Error(`an entry of ${entry.relation}`);
    const place = (key: Record<string, unknown>) =>
      keyOf({ ...key, location_id: entry.location_id }, [
        ...(entry.relation === 'locations' ? [] : ['location_id']),
        ...Object.keys(key),
      ]);
    for (const { key, before: was, after } of entry.changes.rows) {
      const known = table.get(place(key));
      if (was === null ? known !== undefined : known === undefined)
        throw new Error(
          `${entry.operation} of ${entry.relation} ${place(key)}: the row before was ${JSON.stringify(known)}`,
        );
      if (after === null) table.delete(place(key));
      else table.set(place(key), { ...known, ...without(after, entry.relation) });
    }
    for (const { table: of, by } of added.filter(
      (each) => entry.operation === 'insert' && each.with === entry.relation,
    )) {
      const orders = (entry.changes.keys ?? entry.changes.rows.map(({ key }) => key)).map(({ id }) => id);
      const made = await hand.sql<{ row: Record<string, unknown> }>(
        `select to_jsonb(t) - $1::text[] as row from ${of} t where ${by} = any ($2)`,
        [left(of), orders],
      );
      for (const { row } of made) rows.get(of)?.set(keyOf(row, ['id', 'location_id']), row);
    }
    if (entry.changes.keys === undefined) {
      if (entry.row_count !== entry.changes.rows.length)
        throw new Error(`${entry.relation}: ${entry.row_count} rows, and fewer are kept`);
      continue;
    }
    await requireDigest(hand, entry);
    if (entry.changes.keys.length !== entry.row_count)
      throw new Error(`${entry.relation}: fewer keys than rows`);
    for (const key of entry.changes.keys.slice(entry.changes.rows.length)) {
      const [today] = await hand.sql<{ row: Record<string, unknown> }>(
        `select to_jsonb(t) - $3::text[] as row from ${entry.relation} t where to_jsonb(t) @> $1 and location_id = $2`,
        [key, entry.location_id, [...left(entry.relation), 'key_hash']],
      );
      if (today === undefined) throw new Error(`${entry.relation} ${place(key)} is not there`);
      table.set(place(key), today.row);
    }
  }
  return rows;
}

const without = (values: Record<string, unknown>, table: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !left(table).includes(name)));

/** Throws where the digest is not that of the rows as they are; of deleted rows the entry has all. */
async function requireDigest(
  hand: Hand,
  { operation, relation, location_id, changes }: Entry,
): Promise<void> {
  if (operation === 'delete') return;
  const [key] = await hand.sql<{ columns: string[] }>('select audited_key($1) as columns', [relation]);
  const own = (key?.columns ?? []).filter((column) => column !== 'location_id');
  const [found] = await hand.sql<{ digest: string }>(
    `select audit_digest(string_agg(audit_text(to_jsonb(t)), E'\\n' order by ${own.map((column) => `t.${column}`).join(', ')})) as digest
     from ${relation} t join jsonb_array_elements($1::jsonb) k on ${own.map((column) => `t.${column}::text = k->>'${column}'`).join(' and ')}
     where t.location_id = $2`,
    [JSON.stringify(changes.keys), location_id],
  );
  if (found?.digest !== changes.digest) throw new Error(`${relation}: the digest is of other rows`);
}
