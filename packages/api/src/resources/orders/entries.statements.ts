import { included } from './schema.ts';

/** What an entry shows beside the six fields. */
export type Include = readonly (keyof typeof included)[];

/** An aggregate of what a `page` of orders shows, as the text of a JSON array, from there on. */
export function entries(include: Include, order: string): string {
  if (include.length === 0)
    return `coalesce('[' || string_agg(order_entry(o.id, o.number, o.status, o.total, o.created_at, l.timezone,
        m.id, m.status), ',' order by ${order}) || ']', '[]')
      from page
      cross join lateral (select * from orders where location_id = $1::uuid and id = page.id limit 1) o
      cross join lateral (select * from payments where location_id = $1::uuid and order_id = page.id limit 1) m
      join locations l on l.id = $1::uuid`;
  const left = Object.entries(included).flatMap(([name, fields]) =>
    include.some((each) => each === name) ? [] : fields,
  );
  // Whatever an order in full shows, but for these.
  const doc =
    left.length === 0
      ? 'j.doc::text'
      : `(select '{' || string_agg('"' || f.key || '":' || f.value, ',' order by f.place) || '}'
          from json_each(j.doc) with ordinality f (key, value, place) where f.key <> all ('{${left.join()}}'))`;
  return `coalesce('[' || string_agg((select ${doc} from orders_json($1::uuid, array[page.id]) j), ','
    order by ${order}) || ']', '[]') from page`;
}
