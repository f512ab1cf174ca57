import { allEntries, type Entries, entriesUntilFull } from '../../call/page-text.ts';
import { included } from './schema.ts';
import { ordersShowing } from './statements.ts';

/** The fields that an entry shows in addition to the six fields. */
export type Include = readonly (keyof typeof included)[];

/** The fields that an order in full lacks. */
const beside: readonly string[] = ['books', 'customer', 'payments', 'revision'] satisfies Include;

/** The columns that a `page` of orders shows. Lines can make an order large. */
export function entries(include: Include, order: string): Entries {
  if (include.length === 0)
    return allEntries(`(select coalesce('[' || string_agg(order_entry(o.id, o.number, o.status, o.total, o.created_at, l.timezone,
        m.id, m.status), ',' order by ${order}) || ']', '[]')
      from page
      cross join lateral (select * from orders where location_id = $1::uuid and id = page.id limit 1) o
      cross join lateral (select * from payments where location_id = $1::uuid and order_id = page.id and replaced = 0 limit 1) m
      join locations l on l.id = $1::uuid)`);
  const left = Object.entries(included).flatMap(([name, fields]) =>
    beside.includes(name) || include.some((each) => each === name) ? [] : [...fields],
  );
  // All fields of an order in full, except these.
  const doc =
    left.length === 0
      ? 'j.doc'
      : `(select '{' || string_agg('"' || f.key || '":' || f.value, ',' order by f.place) || '}'
          from json_each(j.doc::json) with ordinality f (key, value, place) where f.key <> all ('{${left.join()}}'))`;
  const more = [
    ...(include.includes('books') ? ['order_books($1::uuid, k.id)'] : []),
    ...(include.includes('payments') ? ['order_payments($1::uuid, k.id)'] : []),
    ...(include.includes('revision')
      ? [`',"revision":' || (select o.revision from orders o where o.location_id = $1::uuid and o.id = k.id)`]
      : []),
  ];
  const entry = more.length === 0 ? doc : `left(${doc}, -1) || ${more.join(' || ')} || '}'`;
  // Without lines there is none to number.
  const parts = include.filter((part) => part !== 'details' || include.includes('items'));
  const read = ordersShowing(parts, '$1::uuid', 'array[k.id]');
  return entriesUntilFull({ order, entry: `select ${entry} from ${read} j` });
}
