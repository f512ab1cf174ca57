import { exporting } from '@comanda/db';

// The transaction rests while the caller reads; who takes nothing is cut off before the server ends it.
export const exportSettings = `set local statement_timeout = 0; set local enable_sort = off;
  set local idle_in_transaction_session_timeout = ${exporting.idleInTransactionMs}`;

export interface RangeRow {
  exported_at: string;
  total: number;
}

const inRange = `from orders o where o.location_id = $1::uuid
  and o.created_at >= day_start($2::date, (select l.timezone from locations l where l.id = $1::uuid))
  and o.created_at < day_start($3::date + 1, (select l.timezone from locations l where l.id = $1::uuid))`;

// Without a name, as everything here: behind a pooler the connection goes to others afterwards.
export const measureRange = `select (select wire_time(now(), l.timezone) from locations l where l.id = $1::uuid) as exported_at,
  (select count(*) ${inRange})::int as total`;

// The page is found on the index alone; what is passed over never becomes JSON.
export const declareCursor = `declare export no scroll cursor for
  select (select j.doc from orders_json($1::uuid, array[page.id]) j) as doc
  from (select o.id, o.created_at ${inRange} order by o.created_at, o.id limit $4::bigint offset $5::bigint) page
  order by page.created_at, page.id`;

export const fetchSome = 'fetch 200 from export';
