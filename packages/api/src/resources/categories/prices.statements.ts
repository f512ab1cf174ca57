import { type Statement, statement } from '@comanda/db';
import type { Priced } from './prices.rules.ts';

/** A product of a category; null in each for a category without products. */
export type PricedRow = { [Name in keyof Priced]: Priced[Name] | null };

const products = (name: string, lock: string): Statement<PricedRow> =>
  statement(
    name,
    `select p.id, p.name, p.price::float8 as price
     from (select id from categories where location_id = $1::uuid and id = $2::uuid${lock && ' for key share'}) c
     left join lateral (
       select p.id, p.name, p.price from (
         select l.product_id from product_categories l
         where l.location_id = $1::uuid and l.category_id = c.id order by l.product_id
       ) l cross join lateral (
         select r.id, r.name, r.price from products r
         where r.location_id = $1::uuid and r.id = l.product_id${lock}
       ) p
     ) p on true`,
  );

/** $1 location, $2 category. No row: no such category; a row of nulls: it is empty. */
export const readPrices = products('read_prices_of_category', '');

/** The same, held to the end of the transaction, in the order of prisma/sql/locks.sql. */
export const holdPrices = products('hold_prices_of_category', ' for no key update');

/** $1 location, $2 ids, $3 prices, as many of each. */
export const writePrices = statement<never>(
  'write_prices',
  `update products p set price = n.price from unnest($2::uuid[], $3::numeric[]) as n (id, price)
   where p.location_id = $1::uuid and p.id = n.id`,
);
