import type pg from 'pg';
import type { Sample } from './statements.ts';

/** Takes some rows of a location, at random but the same each time. */
export async function sampleOf(client: pg.Client, location: string): Promise<Sample> {
  const some = async (column: string, table: string, most: number) => {
    const { rows } = await client.query<{ value: string }>(
      `select ${column}::text as value from ${table} where location_id = $1 and ${column} is not null
       order by md5(${column}::text) limit $2`,
      [location, most],
    );
    return rows.map(({ value }) => value);
  };
  const products = await some('id', 'products', 500);
  const externalIds = await some('external_id', 'products', 500);
  const [order = ''] = await some('id', 'orders', 1);
  // Too few orders for a turn: nothing is found by it.
  const [turn = order] = await some('turn_id', 'orders', 1);
  const [endpoint = ''] = await some('id', 'webhook_endpoints', 1);
  return {
    location,
    product: products[0] ?? '',
    externalId: externalIds[0] ?? '',
    products,
    externalIds,
    bought: products.slice(0, 5),
    order,
    turn,
    endpoint,
    deliveries: await some('id', 'webhook_deliveries', 250),
  };
}
