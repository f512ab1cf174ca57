import { tables } from '@comanda/db';
import type { PoolClient } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { sqlOf } from '../support/sql.ts';
import { otherValue } from './statement-for.ts';

// An update of one row is captured by a form of its own (packages/db/src/made/lone.ts). It must leave what the form for many leaves.

const api = useApi();

/** Each column alone, and all columns whose changes are kept. */
const cases = tables.flatMap(({ name, columns, key, published }) => {
  const differing = (holds: (of: (typeof columns)[string]) => boolean | undefined) =>
    Object.entries(columns).flatMap(([column, of]) => (holds(of) && !key.includes(column) ? [column] : []));
  const kept = differing(({ history }) => history);
  if (!Object.values(columns).some(({ history }) => history)) return [];
  const alone = differing((of) => of.published || of.catalog).map((column) => [column]);
  return [...alone, ...(kept.length > 1 ? [kept] : [])].map((changing) => ({
    table: name,
    columns: changing,
    names: changing.join(', '),
    id: published?.id ?? 'id',
  }));
});

/** The values that columns are set to. A column that is not here is set to one that is made for its type. */
const ofColumn: Record<string, string> = {
  subselection_id: `(SELECT s.id FROM subselections s WHERE s.name = 'Size')`,
  image_url: `'https://example.com/seven.png'`,
  min: 'min',
  tax_rate: '7',
};

async function makeRows(client: PoolClient): Promise<void> {
  const location = [api.locationId];
  await client.query(
    `with made as (insert into products (location_id, sku, name, price) values ($1, 'one', 'One', 1), ($1, 'two', 'Two', 2) returning location_id, id),
       stock as (insert into product_stock (location_id, product_id, quantity) select location_id, id, 5 from made)
     insert into subselections (location_id, product_id, name, position) select m.location_id, m.id, v.name, v.position
       from (select * from made limit 1) m, (values ('Milk', 0), ('Size', 1)) v (name, position)`,
    location,
  );
  await client.query(
    `insert into subselection_items (location_id, subselection_id, name, position) select s.location_id, s.id, v.name, v.position
       from subselections s, (values ('Oat', 0), ('Soy', 1)) v (name, position) where s.location_id = $1 and s.name = 'Milk'`,
    location,
  );
  await client.query(`insert into categories (location_id, name) values ($1, 'Hot'), ($1, 'Cold')`, location);
}

/** The captured, counted and kept rows after a change of a column of one row: by a statement of its own, or among other rows. */
async function leftBy(
  client: PoolClient,
  of: (typeof cases)[number],
  set: readonly string[],
  alone: boolean,
): Promise<unknown> {
  const ask = sqlOf(client);
  const rows = await ask(`select ${of.id} as id from ${of.table} where location_id = $1 order by 1 limit 2`, [
    api.locationId,
  ]);
  expect(rows).toHaveLength(2);
  const [row, other] = rows.map(({ id }) => String(id));
  const chosen = alone ? [row] : [row, other];
  const { rowCount } = await client.query(
    `update ${of.table} set ${set.join(', ')} where location_id = $1 and ${of.id} = any ($3::uuid[])`,
    [api.locationId, row, chosen],
  );
  expect(rowCount).toBe(chosen.length);
  return {
    captured: await ask(
      `select location_id, resource, operation, resource_ids, changed, before, after, in_catalog, request_id, traceparent from internal.captured_changes order by id`,
    ),
    counted: await ask(
      `select t.starts_at, t.name, sum(t.n)::int as n from (
         select starts_at, name, n, location_id from internal.tally_notes union all select starts_at, name, n, location_id from internal.tallies) t
       where t.location_id = $1 group by 1, 2 order by 1, 2`,
      [api.locationId],
    ),
    kept: await ask(
      `select location_id, actor_kind, api_key_id, request_id, operation, relation, resource_id, resource_ids, row_count, changes from audit_entries where resource_ids is not null order by id`,
    ),
  };
}

describe.each([
  { by: 'a program', request: (key: string) => `req_one 00-trace ${key}` },
  { by: 'the service itself', request: () => '' },
])('a change by $by of one row leaves other traces than among other rows', ({ request }) => {
  test.each(cases)('$table: $names', async (of) => {
    const client = await api.app.database.pool.connect();
    onTestFinished(() => client.release(true));
    const { rows } = await client.query('select id from api_keys limit 1');
    await client.query('begin');
    await makeRows(client);
    const set: string[] = [];
    for (const column of of.columns) {
      const value =
        ofColumn[column] ?? (await otherValue(sqlOf(client), api.locationId, { table: of.table, column }));
      set.push(`${column} = case when ${of.id} = $2 then ${value} else ${column} end`);
    }
    await client.query(`select set_config('comanda.request_id', $1, true)`, [request(String(rows[0]?.id))]);
    await client.query('savepoint made');
    const lone = await leftBy(client, of, set, true);
    await client.query('rollback to savepoint made');
    expect(lone).toEqual(await leftBy(client, of, set, false));
    await client.query('rollback');
  });
});
