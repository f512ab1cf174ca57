import { plainIdentifier, statement } from '@comanda/db';
import type { Harm, Invariant } from './invariant.ts';

const twins = (table: string, column: string, scope: string, what: string): string =>
  `select * from (
     select location_id::text as location, '${what} ' || id as what,
       '${column} ' || to_json(${column}) || ' differs from that of another ${what} in its normalization alone' as harm, true as mild,
       count(*) over (partition by ${scope}, normalize(${column}, nfc)) as n
     from ${table} where location_id = $1 and ${column} !~ '${plainIdentifier}') t where n > 1`;

/** Identifiers from before those were refused that differ in normalization alone. */
export const identifiers: Invariant = {
  name: 'identifiers',
  means: 'No two external ids or skus differ in their Unicode normalization alone.',
  advice:
    'Both rows stay, and each is found by its own spelling. Give one of them another identifier, or delete it.',
  of: 'location',
  asks: statement<Harm>(
    'doctor_identifiers',
    `select location, what, harm, mild from (
       ${[
         twins('products', 'external_id', 'location_id', 'product'),
         twins('products', 'sku', 'location_id', 'product'),
         twins('categories', 'external_id', 'location_id', 'category'),
         twins('subselections', 'external_id', 'product_id', 'subselection'),
         twins('subselection_items', 'external_id', 'subselection_id', 'item'),
         twins('orders', 'external_id', 'location_id', 'order'),
       ].join('\n       union all ')}) found order by what limit 101`,
  ),
};
