import { exporting, pageBytes, untilFull } from '@comanda/db';

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

// Without a name, as everything here: behind a pooler the connection goes to others later.
export const measureRange = `select (select wire_time(now(), l.timezone) from locations l where l.id = $1::uuid) as exported_at,
  (select count(*) ${inRange})::int as total`;

// Found on the index alone; skipped rows never become JSON.
export const declareCursor = `declare export no scroll cursor for
  select o.id ${inRange} order by o.created_at, o.id limit $4::bigint offset $5::bigint`;

export const fetchSome = 'fetch 200 from export';

// $1 location, $2 ids: the first of them, until they hold a piece.
export const readPiece = `with recursive ${untilFull({
  count: 'cardinality($2::uuid[])',
  key: (place) => `($2::uuid[])[${place}] as id`,
  doc: '(select j.doc from orders_json($1::uuid, array[k.id]) j)',
  bytes: pageBytes,
})} select doc from docs where place > 0 order by place`;
