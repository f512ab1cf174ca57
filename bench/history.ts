import { makeTenant, type Setup, type Tenant } from './setup.ts';

/** A location with a year of orders behind it. */
export interface History extends Tenant {
  orders: number;
}

/** The year that every history fills, evenly. */
export const year = { from: '2025-01-01', to: '2025-12-31' };

/**
 * Makes a location with `orders` orders over a year, each with a payment and `lines` lines, by SQL and through every
 * trigger: a million through the API would take an hour. Captured changes are dropped: there is no subscriber.
 */
export async function makeHistory(setup: Setup, orders: number, lines: number): Promise<History> {
  const tenant = await makeTenant(setup);
  const { pool } = setup.comanda;
  const { rows } = await pool.query<{ id: string }>(
    `insert into products (location_id, sku, name, price) values ($1, 'bench', 'Flat White', 12.5) returning id`,
    [tenant.locationId],
  );
  const chunk = 20_000;
  for (let from = 1; from <= orders; from += chunk) {
    await pool.query(
      `with made as (
         insert into orders (location_id, id, number, external_id, total, payment_method_id, identifier, status, created_at)
         select $1, uuid_v7(), n, 'history-' || n, 12.5 * $5::int, $2, '',
           (case when n % 20 < 14 then 'closed' when n % 20 < 16 then 'ready' when n % 20 < 17 then 'canceled'
             else 'pending' end)::order_status,
           '2025-01-01T03:00:00Z'::timestamptz + (n - 1) * (interval '364 days' / $6::int)
         from generate_series($3::int, $4::int) n
         returning location_id, id, total, payment_method_id
       ), bought as (
         insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
         select m.location_id, m.id, p, $7, 'Flat White', 12.5, 1, 12.5 from made m, generate_series(1, $5::int) p
       )
       insert into payments (location_id, order_id, payment_method_id, amount)
       select location_id, id, payment_method_id, total from made`,
      [
        tenant.locationId,
        tenant.paymentMethodId,
        from,
        Math.min(orders, from + chunk - 1),
        lines,
        orders,
        rows[0]?.id,
      ],
    );
  }
  await pool.query('truncate internal.captured_changes');
  return { ...tenant, orders };
}
