import { tables } from '@comanda/db';
import { describe, expect, test } from 'vitest';
import { entrancesOf } from '../contract/entrances.ts';
import { inputIn, openKitchen } from '../contract/kitchen.ts';
import { useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';

// A program's change of a column with history is kept in the audit, by any operation. A product brings its stock and
// its categories along, and the stock of an order is recorded by the order.

const api = useApi();

const historic = tables.flatMap(({ name, columns, key, belongs, published }) => {
  const kept = Object.entries(columns).flatMap(([column, { history }]) => (history ? [column] : []));
  const isPart = belongs?.partOf !== undefined;
  return kept.length === 0 ? [] : [{ name, kept, key, isPart, id: published?.id ?? 'id' }];
});

type Row = Record<string, unknown>;
type Snapshot = Map<string, Map<string, Row>>;

/** The historic columns of every row of the location, by table and key. */
async function snapshotOf(location: string): Promise<Snapshot> {
  const snapshot: Snapshot = new Map();
  for (const { name, kept, key, id } of historic) {
    const rows = await api.sql<Row>(
      `select concat_ws(' ', ${key.join(', ')}) as row_key, ${id} as of, to_jsonb(row_to_json((select r from (select ${kept.join(', ')}) r))) as kept
       from ${name} where location_id = $1`,
      [location],
    );
    snapshot.set(name, new Map(rows.map((row) => [String(row.row_key), row])));
  }
  return snapshot;
}

const fields = (row: Row | undefined) => row?.kept as Row | undefined;

/** The expected history of the difference, a line each. */
function differences(before: Snapshot, after: Snapshot): string[] {
  const products = [before, after].map((at) => at.get('products'));
  return historic.flatMap(({ name, isPart, id, kept }) => {
    const [was, is] = [before.get(name), after.get(name)];
    const keys = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])];
    return keys.flatMap((key) => {
      const [old, now] = [was?.get(key), is?.get(key)];
      const of = String((old ?? now)?.of);
      if (old === undefined || now === undefined) {
        if (isPart && (id === 'id' || products.some((known) => !known?.has(of)))) return [];
        return line(name, of, fields(old), fields(now));
      }
      const changed = kept.filter((column) => fields(old)?.[column] !== fields(now)?.[column]);
      const only = (row: Row) => Object.fromEntries(changed.map((column) => [column, fields(row)?.[column]]));
      return changed.length === 0 ? [] : line(name, of, only(old), only(now));
    });
  });
}

const line = (table: string, id: string, before?: Row | null, after?: Row | null) => [
  JSON.stringify([table, id, sorted(before), sorted(after)]),
];
const sorted = (row?: Row | null) => (row ? Object.entries(row).sort() : null);

/** The history's record, with its key. */
async function kept(location: string) {
  const rows = await api.sql<Row>`select a.relation, a.api_key_id, a.request_id, r.value as row
    from audit_entries a cross join lateral jsonb_array_elements(history_rows(a.relation, a.resource_ids, a.changes, null)) r
    where a.location_id = ${location} and a.resource_ids is not null order by a.id`;
  return rows.map(({ relation, api_key_id, request_id, row }) => {
    const { key, before, after } = row as { key: Row; before: Row | null; after: Row | null };
    return {
      api_key_id,
      request_id,
      line: line(String(relation), String(Object.values(key)[0]), before, after)[0],
    };
  });
}

const ofOrders = (name: string) => /(^|\.)orders\./.test(name);
const changing = operations.filter(({ kind, name }) => kind === 'mutation' && !name.startsWith('audit.'));

describe('what a program changed is missing from the history after', () => {
  test.each(changing.filter(({ name }) => name !== 'sandbox.reset').flatMap(entrancesOf))(
    '$name',
    async ({ call, operation }) => {
      const kitchen = await openKitchen(api);
      const input = await inputIn(kitchen, operation);
      const earlier = (await kept(kitchen.locationId)).length;
      const before = await snapshotOf(kitchen.locationId);
      const { code, message } = await call(api.url, kitchen.key, input);
      if (operation.name !== 'turns.open') expect(code, message).toBeUndefined();
      const recorded = (await kept(kitchen.locationId)).slice(earlier);
      const expected = ofOrders(operation.name)
        ? []
        : differences(before, await snapshotOf(kitchen.locationId));
      expect(recorded.map((each) => each.line).sort()).toEqual(expected.sort());
      for (const { api_key_id, request_id } of recorded) {
        expect(api_key_id).toMatch(/^[0-9a-f-]{36}$/);
        expect(request_id).toBeTruthy();
      }
    },
  );
});
