import { isDeepStrictEqual } from 'node:util';
import { tables } from '../../../packages/db/src/tables/index.ts';
import { isAudited } from '../../../packages/db/src/tables/table.ts';
import { keyOf, left, type Rows, readRows } from '../../db/replayed-entries.ts';
import type { Hand } from '../../support/by-hand.ts';

type Row = Readonly<Record<string, unknown>>;

/** The contents of an entry for a row; undefined for one of many, of which it has the key alone. */
type Change = { before: Row | null; after: Row | null; left_out?: string[] } | undefined;

interface Entry {
  location_id: string | null;
  relation: string;
  changes: { rows: (NonNullable<Change> & { key: Row })[]; keys?: Row[] };
}

/** Columns that a manually written order gets at its commit, when its entry is written; and those that the service writes at any time. */
const writtenBesides: Readonly<Record<string, readonly string[]>> = {
  orders: ['number', 'total', 'turn_id'],
  api_keys: ['last_used_at'],
};

/** Tables of which triggers write rows without an entry, and the tables whose edits bring that about. */
const broughtAbout: Readonly<Record<string, string>> = {
  payments: 'orders',
  product_stock: 'orders',
  subselection_items: 'orders',
  settlements: 'turns',
};

const audited = tables.filter(isAudited);
const keys = new Map(
  audited.map(({ name, key, columns }) => [name, 'location_id' in columns ? ['location_id', ...key] : key]),
);

/** Reads the rows that an edit may change, and returns a function that compares them later with the entries of the transaction of that moment. */
export async function beforeEdit(hand: Hand): Promise<(moment: string) => Promise<void>> {
  const before = await readRows(hand, audited);
  return async (moment) => {
    const entries = await hand.sql<Entry>(
      `select location_id, relation, changes from audit_entries
       where created_at = $1::timestamptz and actor_kind = 'database' order by id`,
      [moment],
    );
    const faults = differences(before, await readRows(hand, audited), entries);
    if (faults.length > 0) throw new Error(`the audit is not true:\n${faults.slice(0, 5).join('\n')}`);
  };
}

/** The differences between the rows and the earlier rows with the entries applied. */
function differences(before: Rows, after: Rows, entries: readonly Entry[]): string[] {
  const edited = new Set(entries.map(({ relation }) => relation));
  const recorded = changesOf(entries);
  const places = new Set([...recorded.keys(), ...placesOf(before), ...placesOf(after)]);
  return [...places].flatMap((place) => {
    const [table = '', key = ''] = place.split('\n');
    const was = before.get(table)?.get(key);
    const is = after.get(table)?.get(key);
    const changes = recorded.get(place) ?? [];
    // The deletion of a location is recorded, and none of its rows.
    const location = (was ?? is)?.location_id;
    if (typeof location === 'string' && !after.get('locations')?.has(`id=${location}`)) return [];
    if (edited.has(broughtAbout[table] ?? '') || changes.includes(undefined)) return [];
    const says = changedBy(changes, was);
    const ignored = new Set([
      ...left(table),
      ...(writtenBesides[table] ?? []),
      ...changes.flatMap((change) => change?.left_out ?? []),
    ]);
    return isDeepStrictEqual(without(says, ignored), without(is, ignored)) &&
      beganWith(was, changes[0], ignored)
      ? []
      : [
          `${table} ${key}: ${shown(was)} became ${shown(is)}, and ${changes.length} entries say ${shown(changes)}`,
        ];
  });
}

/** The row after the changes. */
function changedBy(changes: readonly Change[], was: Row | undefined): Row | undefined {
  let row = was;
  for (const change of changes) row = change?.after == null ? undefined : { ...row, ...change.after };
  return row;
}

/** The changes of each row in the entries, the oldest first, by table and key. */
function changesOf(entries: readonly Entry[]): ReadonlyMap<string, readonly Change[]> {
  const found = new Map<string, Change[]>();
  for (const { relation, location_id, changes } of entries) {
    const note = (key: Row, change: Change) => {
      const place = `${relation}\n${keyOf({ location_id, ...key }, keys.get(relation) ?? [])}`;
      found.set(place, [...(found.get(place) ?? []), change]);
    };
    for (const { key, ...change } of changes.rows) note(key, change);
    for (const key of changes.keys?.slice(changes.rows.length) ?? []) note(key, undefined);
  }
  return found;
}

const placesOf = (rows: Rows): string[] =>
  [...rows].flatMap(([table, known]) => [...known.keys()].map((key) => `${table}\n${key}`));

/** Whether the first entry begins with the row as it was. */
function beganWith(was: Row | undefined, first: Change, ignored: ReadonlySet<string>): boolean {
  if (first === undefined) return true;
  if (first.before === null || was === undefined) return first.before === null && was === undefined;
  return Object.entries(first.before).every(
    ([column, value]) => ignored.has(column) || isDeepStrictEqual(value, was[column]),
  );
}

const without = (row: Row | undefined, columns: ReadonlySet<string>): Row | undefined =>
  row && Object.fromEntries(Object.entries(row).filter(([column]) => !columns.has(column)));

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 600) ?? 'nothing';
