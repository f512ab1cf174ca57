import { belongings, type LocationTable } from '../../packages/db/src/tables/belongings.ts';
import type { Place } from './moving.ts';

/** Every row of a location, by table. How often a key was used does not travel. */
export async function contentsOf({ sql }: Place, id: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const each of belongings.filter(({ ofKeys }) => ofKeys !== true)) {
    const rows = await sql<{ row: string }>(
      `select (to_jsonb(t) - $2::text[])::text as row from ${each.table} t where ${ofLocation(each)}`,
      [id, ignored[each.table] ?? []],
    );
    found[each.table] = rows
      .map(({ row }) => row)
      .filter((row) => !isOfMove(row))
      .toSorted();
  }
  return found;
}

/** The condition for rows `t` of a table that belong to the location $1. */
export const ofLocation = ({ ofKeys }: LocationTable): string =>
  ofKeys === true
    ? 't.api_key_id in (select k.id from api_keys k where k.location_id = $1::uuid)'
    : 't.location_id = $1::uuid';

// An epoch is each database's own; the last use of a key does not travel.
const ignored: Record<string, readonly string[]> = {
  'internal.catalog_versions': ['epoch'],
  api_keys: ['last_used_at'],
};

// The databases' records of the move itself.
const isOfMove = (row: string): boolean => /"operation": "locations\.(import|move|enable)"/.test(row);
