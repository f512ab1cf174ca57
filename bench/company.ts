import { makeTenant, runSql, type Setup, type Tenant } from './setup.ts';

/** Another location of a filled database, with what its orders name. */
export interface Other extends Tenant {
  productIds: string[];
}

/**
 * Fills both databases with the data of other locations and analyzes them: measurements are made next to them, in
 * locations that are made later, of which no statistics know. A hundred products and orders where `small`, 30,000
 * otherwise, over three locations. By SQL and through every trigger; captured changes are dropped.
 */
export async function fillWithOthers(setup: Setup, small: boolean): Promise<Other[]> {
  const each = small ? 34 : 10_000;
  const others: Other[] = [];
  for (let index = 0; index < 3; index += 1) others.push(await makeOther(setup, each));
  await setup.comanda.pool.query('truncate internal.captured_changes');
  await setup.comanda.pool.query('vacuum analyze');
  for (let index = 0; index < 3; index += 1) await runSql(setup.referenceUrl, ofReference, [each]);
  await runSql(setup.referenceUrl, 'vacuum analyze');
  return others;
}

/** Makes one with `each` products and orders, by SQL and through every trigger. */
export async function makeOther(setup: Pick<Setup, 'comanda'>, each: number): Promise<Other> {
  const tenant = await makeTenant(setup);
  const { pool } = setup.comanda;
  const { rows } = await pool.query<{ id: string }>(
    `insert into products (location_id, external_id, sku, name, price)
     select $1, 'p' || n, 'SKU-' || n, 'Product ' || n, 5 + n % 90 from generate_series(0, $2::int - 1) n returning id`,
    [tenant.locationId, each],
  );
  const productIds = rows.map(({ id }) => id);
  await pool.query(
    `insert into product_stock (location_id, product_id, enabled, quantity)
     select $1, id, true, 900000000 from unnest($2::uuid[]) id`,
    [tenant.locationId, productIds],
  );
  await pool.query(
    `with made as (
       insert into orders (location_id, id, number, external_id, total, payment_method_id, identifier, status, created_at)
       select $1, uuid_v7(), n, 'past-' || n, 25, $2, '', 'closed', now() - interval '100 days' + n * (interval '100 days' / $4::int)
       from generate_series(1, $4::int) n returning id, number, total, payment_method_id
     ), bought as (
       insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
       select $1, m.id, p, ($3::uuid[])[1 + (m.number * 7 + p) % $4::int], 'Product', 12.5, 1, 12.5
       from made m, generate_series(1, 2) p
     )
     insert into payments (location_id, order_id, payment_method_id, amount)
     select $1, id, payment_method_id, total from made`,
    [tenant.locationId, tenant.paymentMethodId, productIds, each],
  );
  await pool.query(
    `insert into internal.location_counters as c (location_id, name, value) values ($1, 'order', $2)
     on conflict (location_id, name) do update set value = excluded.value`,
    [tenant.locationId, each],
  );
  return { ...tenant, productIds };
}

/** Adds small locations to Comanda's database, each with a key and as many products and orders: 100 unless said. */
export async function fillWithNeighbours(setup: Setup, count: number, each = 100): Promise<Other[]> {
  const made: Other[] = [];
  for (let index = 0; index < count; index += 1) made.push(await makeOther(setup, each));
  await setup.comanda.pool.query('truncate internal.captured_changes');
  await setup.comanda.pool.query('vacuum analyze');
  return made;
}

// $1 how many products and orders.
const ofReference = `with place as (
    insert into location (id, products, orders) values (gen_random_uuid(), $1::int, $1::int) returning id
  ), product as (
    insert into product (location_id, id, external_id, sku, name, description, price)
    select p.id, gen_random_uuid(), 'p' || n, 'SKU-' || n, 'Product ' || n, '', 5 + n % 90
    from place p, generate_series(1, $1::int) n returning location_id, id
  ), stock as (
    insert into product_stock (location_id, product_id, enabled, quantity)
    select location_id, id, true, 900000000 from product
  ), made as (
    insert into orders (location_id, id, number, external_id, total, is_take_away, payment_method_id, created_at)
    select p.id, gen_random_uuid(), n, 'past-' || n, 25, false, p.id,
      now() - interval '100 days' + n * (interval '100 days' / $1::int)
    from place p, generate_series(1, $1::int) n returning location_id, id, total
  ), bought as (
    insert into order_item (location_id, order_id, position, product_id, name, unit_price, quantity, total)
    select m.location_id, m.id, i, m.location_id, 'Product', 12.5, 1, 12.5 from made m, generate_series(1, 2) i
  )
  insert into payment (location_id, order_id, amount) select location_id, id, total from made`;

/** Others go on with their work meanwhile: an order every 100 ms through the API, until the answer is called. */
export function letOthersWork(others: readonly Other[], apiUrl: string): () => Promise<void> {
  let at = 0;
  let failed: string | undefined;
  const pending = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const other = others[at % others.length];
    if (other === undefined) return;
    at += 1;
    const asked = placeOrder(other, apiUrl, `other-${at}`, at * 7).then(
      () => {},
      (error: unknown) => {
        failed ??= String(error);
      },
    );
    pending.add(asked);
    void asked.then(() => pending.delete(asked));
  }, 100);
  return async () => {
    clearInterval(timer);
    await Promise.all(pending);
    if (failed !== undefined) throw new Error(`the others' work failed: ${failed}`);
  };
}

/**
 * Places an order of three items through the API, `first` being the place of the first product; gives its id.
 * @throws {Error} when it is refused.
 */
export async function placeOrder(
  { key, paymentMethodId, productIds }: Other,
  url: string,
  name: string,
  first: number,
): Promise<string> {
  const items = [0, 1, 2].map((index) => ({
    product_id: productIds[(first + index) % productIds.length],
    quantity: 1,
  }));
  const response = await fetch(`${url}/v2/orders`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': name,
    },
    body: JSON.stringify({
      external_id: name,
      channel: 'bench',
      is_take_away: false,
      identifier: '',
      payment_method_id: paymentMethodId,
      items,
    }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}
