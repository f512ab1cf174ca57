import type { Database } from '@comanda/db';
import { named as namedText } from './twins.ts';

/** A pending payment of an order that has nothing else. */
export interface PendingPayment {
  id: string;
  orderId: string;
}

/** Makes so many at once, as the service does. */
export async function createPayments(
  { pool }: Database,
  { locationId, methodId }: { locationId: string; methodId: string },
  count: number,
): Promise<PendingPayment[]> {
  const { rows } = await pool.query<PendingPayment>(
    `with made as (
       insert into orders (location_id, number, payment_method_id)
       select $1, coalesce((select max(number) from orders where location_id = $1), 0) + n, $2 from generate_series(1, $3::int) n
       returning id, number, payment_method_id
     )
     insert into payments (location_id, order_id, payment_method_id, amount)
     select $1, id, payment_method_id, number + 0.25 from made order by number returning id, order_id as "orderId"`,
    [locationId, methodId, count],
  );
  return rows;
}

/** The same value with names for ids, and without moments. */
export const named = (value: unknown, names: ReadonlyMap<string, string>): unknown =>
  JSON.parse(namedText(JSON.stringify(value), names));

/** The rows before payments are moved. */
export interface Before {
  captured: string;
  audited: string;
  booked: string;
  at: Date;
}

export async function before({ pool }: Database, locationId: string): Promise<Before> {
  const { rows } = await pool.query(
    `select (select coalesce(max(id), 0) from internal.captured_changes) as captured,
       (select coalesce(max(id::text), '') from audit_entries) as audited,
       (select coalesce(max(id::text), '') from settlement_entries where location_id = $1) as booked,
       (select max(updated_at) from orders where location_id = $1) as at`,
    [locationId],
  );
  return rows[0] as Before;
}

/** All effects of moves since then, except for the time: of each list the order says nothing that callers could see. */
export async function cameOf(
  { pool }: Database,
  locationId: string,
  payments: readonly PendingPayment[],
  { captured, audited, booked, at }: Before,
) {
  const rows = async (text: string, values: unknown[]): Promise<Record<string, unknown>[]> =>
    (await pool.query(text, [locationId, ...values])).rows;
  return {
    payments: await rows(
      `select to_jsonb(p) - '{created_at,updated_at}'::text[] as row, updated_at > $3 as touched from payments p
       where location_id = $1 and id = any ($2) order by array_position($2::uuid[], id)`,
      [payments.map(({ id }) => id), at],
    ),
    orders: await rows(
      `select to_jsonb(o) - '{created_at,updated_at}'::text[] as row, updated_at > $3 as touched from orders o
       where location_id = $1 and id = any ($2) order by number`,
      [payments.map(({ orderId }) => orderId), at],
    ),
    captured: await rows(
      `select seed, resource, operation, resource_ids, changed, before, after, in_catalog, part, line, request_id, traceparent
       from internal.captured_changes where location_id = $1 and id > $2 order by id`,
      [captured],
    ),
    audited: await rows(
      `select to_jsonb(a) - '{id,created_at}'::text[] as row from audit_entries a where location_id = $1 and id::text > $2 order by id`,
      [audited],
    ),
    // In the order in which they were moved.
    booked: await rows(
      `select to_jsonb(e) - '{id,created_at,transaction_at}'::text[] as row, transaction_at is not null as timed
       from settlement_entries e where location_id = $1 and id::text > $2 order by id`,
      [booked],
    ),
    counts: await rows(
      `select name, sum(n)::int as n from (
         select name, n from internal.tallies where location_id = $1 and hours in (0, 1)
         union all select name, n from internal.tally_notes where location_id = $1) t group by name order by name`,
      [],
    ),
  };
}
