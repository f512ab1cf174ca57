import { describe, expect, it } from 'vitest';
import { readStatement } from '../src/statements.ts';

// The statements of the page itself are in grids.test.ts, as its own compiler makes them.

const count = `with "__ps_agg__" as (select cast(coalesce(count(*), 0) as text) as "__ps_count__" from "public"."orders" where `;
const list = `) select "__ps_agg__"."__ps_count__", "id" from "public"."orders" inner join "__ps_agg__" on true where `;
const grid = (counted: string, listed = counted, end = ' limit $1 offset 0') =>
  `${count}${counted}${list}${listed}${end}`;

it('reads a grid, an edit, a new row and a deletion', () => {
  expect(
    readStatement(grid('("status" = cast($1 as "public"."order_status") or "total" >= $2)')),
  ).toMatchObject({ kind: 'select', table: 'orders' });
  expect(readStatement('update "public"."orders" set "total" = $1, "tags" = null where "id" = $2')).toEqual({
    kind: 'update',
    table: 'orders',
    columns: ['total', 'tags'],
    returning: '',
    set: '"total" = $1, "tags" = null',
    where: '"id" = $2',
  });
  expect(
    readStatement('insert into "public"."orders" ("a", "b") values ($1, default), (null, cast($2 as text))'),
  ).toEqual({
    kind: 'insert',
    table: 'orders',
    columns: ['a', 'b'],
    returning: '',
    rows: [
      ['$1', 'default'],
      ['null', 'cast($2 as text)'],
    ],
  });
  expect(readStatement('delete from "public"."orders" where ("location_id", "id") in (($1, $2))')).toEqual({
    kind: 'delete',
    table: 'orders',
    returning: '',
    where: '("location_id", "id") in (($1, $2))',
  });
});

describe('what no grid asks is not read', () => {
  it.each([
    ['select 1'],
    ['select * from "public"."orders"'],
    ["set application_name = 'bob'"],
    ['commit; delete from "public"."orders" where "id" = $1'],
    ['delete from "public"."orders" where "id" = $1; commit'],
    ['delete from "public"."orders"'],
    ['update "public"."orders" set "total" = $1'],
    ['delete from "internal"."webhook_secrets" where "id" = $1'],
    ['delete from public.orders where "id" = $1'],
    ['DELETE FROM "public"."orders" WHERE "id" = $1'],
    ['with gone as (delete from "public"."orders" where "id" = $1 returning 1) select 1'],
    ['merge into "public"."orders" o using (select 1) s on true when matched then delete'],
    ['update "public"."orders" set "total" = (select 1) where "id" = $1'],
    ['update "public"."orders" set "total" = "number" where "id" = $1'],
    ['update "public"."orders" set "total" = $1 from "public"."payments" where "id" = $2'],
    ['update "public"."orders" set "total" = $1 where "id" in (select "id" from "public"."orders")'],
    ['update "public"."orders" set "total" = $1 where "id" = $2 returning (select 1)'],
    ['update "public"."orders" set "total" = $1 where true) or (true'],
    ['delete from "public"."orders" where true) or (true'],
    ['delete from "public"."orders" where "pg_sleep"(1)'],
    ['delete from "public"."orders" where pg_sleep(1) is null'],
    ['delete from "public"."orders" where "id" = $1 -- all of them'],
    ['delete from "public"."orders" where "id" = $1 /* all of them */'],
    [`delete from "public"."orders" where "identifier" = 'a'`],
    [`delete from "public"."orders" where "identifier" = $a$b$a$`],
    ['insert into "public"."orders" ("id") values ((select 1))'],
    ['insert into "public"."orders" ("id") select "id" from "public"."orders"'],
    ['insert into "public"."orders" ("id") values ($1) on conflict do nothing'],
    [grid('exists (select 1)')],
    [grid('true union select 1')],
    [grid('"pg_read_file"($1) is null')],
    [grid('true', 'true', ' order by (select 1) limit $1 offset 0')],
    [grid('true', 'true', ' limit $1 offset 0; select 1')],
    [grid('true) or (true')],
    [grid('true', 'true) or (true')],
    [grid('true').replace('from "public"."orders" inner', 'from "public"."payments" inner')],
    [grid('true').replaceAll('"public"."orders"', 'internal.webhook_secrets')],
    [`${grid('true')} for update`],
  ])('%s', (sql) => {
    expect(readStatement(sql)).toBeNull();
  });
});

it('takes no longer for a long condition that ends wrong', () => {
  const condition = Array.from({ length: 20_000 }, (_, index) => `("total" = $${index} or not true)`).join(
    ' and ',
  );
  expect(readStatement(`delete from "public"."orders" where ${condition}`)).not.toBeNull();
  expect(readStatement(`delete from "public"."orders" where ${condition};`)).toBeNull();
  expect(readStatement(grid(`${condition};`))).toBeNull();
});
