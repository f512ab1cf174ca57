import type pg from 'pg';
import { withClient } from '../../support/sql.ts';

/** The database's rows of some locations, read with plain SQL in one snapshot. Decimals are text. */
export interface Books {
  orders: {
    locationId: string;
    id: string;
    number: number;
    identifier: string;
    externalId: string | null;
    status: string;
    total: string;
    items: { productId: string; quantity: number; total: number; stockTaken: boolean }[];
    payments: { id: string; amount: string; status: string }[];
    moves: { from: string; to: string }[];
    /** The stored answers of its idempotency key. */
    keys: { key: string; response: string }[];
    /** How often its creation was captured and not published yet, and published. */
    captured: number;
    created: number;
  }[];
  /** Idempotency keys of orders that do not exist. */
  orphanKeys: string[];
  products: {
    locationId: string;
    id: string;
    externalId: string | null;
    name: string;
    stock: string | null;
  }[];
  jobs: {
    locationId: string;
    id: string;
    status: string;
    total: number;
    processed: number;
    succeeded: number;
    failed: number;
  }[];
  /** Changes that are not published yet. */
  waiting: number;
}

/** Reads them. */
export async function readBooks(databaseUrl: string, locationIds: readonly string[]): Promise<Books> {
  return inSnapshot(databaseUrl, async (client) => {
    const read = async <Row>(sql: string) => (await client.query(sql, [locationIds])).rows as Row[];
    const [waiting] = await read<{ count: number }>(
      'select count(*)::int as count from internal.captured_changes where location_id = any ($1::uuid[])',
    );
    const orphans = await read<{ key: string }>(
      `select key from internal.idempotency_keys k where location_id = any ($1::uuid[]) and operation like '%orders.create'
       and not exists (select from orders o where o.location_id = k.location_id and o.id = (k.response::json->>'id')::uuid)`,
    );
    return {
      orders: await read<Books['orders'][number]>(ordersSql),
      orphanKeys: orphans.map(({ key }) => key),
      products: await read<Books['products'][number]>(
        `select p.location_id as "locationId", p.id, p.external_id as "externalId", p.name, s.quantity::text as stock
         from products p left join product_stock s on s.location_id = p.location_id and s.product_id = p.id
         where p.location_id = any ($1::uuid[])`,
      ),
      jobs: await read<Books['jobs'][number]>(
        `select location_id as "locationId", id, status, total_items as total, processed_items as processed,
           success_items as succeeded, failed_items as failed from sync_jobs where location_id = any ($1::uuid[])`,
      ),
      waiting: waiting?.count ?? 0,
    };
  });
}

/** Runs `work` in one read-only snapshot on a connection of its own. */
export async function inSnapshot<Result>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const look = async (client: pg.Client) => {
    await client.query('begin isolation level repeatable read read only');
    return work(client);
  };
  return withClient(databaseUrl, look, 'ledger');
}

// Grouped first and joined then: a subquery per order would cost an hour of load its end.
const ordersSql = `
  with items as (
    select order_id, json_agg(json_build_object('productId', product_id, 'quantity', quantity, 'total', total,
      'stockTaken', stock_taken) order by position) as list
    from order_items where location_id = any ($1::uuid[]) group by order_id
  ), paid as (
    select order_id, json_agg(json_build_object('id', id, 'amount', amount::text, 'status', status)) as list
    from payments where location_id = any ($1::uuid[]) group by order_id
  ), moved as (
    select order_id, json_agg(json_build_object('from', from_status, 'to', to_status) order by id) as list
    from internal.order_moves where location_id = any ($1::uuid[]) group by order_id
  ), stored as (
    select (response::json->>'id')::uuid as order_id, json_agg(json_build_object('key', key, 'response', response)) as list
    from internal.idempotency_keys where location_id = any ($1::uuid[]) and operation like '%orders.create' group by 1
  ), waiting as (
    select unnest(resource_ids) as order_id, count(*)::int as count from internal.captured_changes
    where location_id = any ($1::uuid[]) and resource = 'order' and operation = 'insert' group by 1
  ), published as (
    select resource_id as order_id, count(*)::int as count from events
    where location_id = any ($1::uuid[]) and type = 'order.created' group by 1
  )
  select o.location_id as "locationId", o.id, o.number, o.identifier, o.external_id as "externalId", o.status,
    o.total::text, coalesce(items.list, '[]') as items, coalesce(paid.list, '[]') as payments,
    coalesce(moved.list, '[]') as moves, coalesce(stored.list, '[]') as keys,
    coalesce(waiting.count, 0) as captured, coalesce(published.count, 0) as created
  from orders o left join items on items.order_id = o.id left join paid on paid.order_id = o.id
    left join moved on moved.order_id = o.id left join stored on stored.order_id = o.id
    left join waiting on waiting.order_id = o.id left join published on published.order_id = o.id
  where o.location_id = any ($1::uuid[]) order by o.location_id, o.number`;
