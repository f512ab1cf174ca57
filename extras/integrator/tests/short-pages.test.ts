import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { repositoryRoot } from '../../../packages/db/src/root.ts';
import { startConsumer } from '../../../tests/support/consumer.ts';
import { createLargeOrders } from '../../../tests/support/large-orders.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { words } from '../../../tests/support/words.ts';
import { pythons } from './certified.ts';
import { download } from './comanda-mjs.ts';

const orders = 12;
const products = 210;
const api = usePublishingApi();

beforeAll(async () => {
  await createLargeOrders(api.app.database, { locationId: api.locationId, count: orders });
  await api.sql(
    `insert into products (location_id, sku, name, price, description)
     select $1, 'large-' || n, 'p', 1, repeat(chr(1), 10000) from generate_series(1, $2::int) n`,
    [api.locationId, products],
  );
  await api.published();
}, 120_000);

const script = `
import sys
from comanda import Comanda
comanda = Comanda(sys.argv[1], sys.argv[2])
print(len({order["id"] for order in comanda.each("/v2/orders", include=["details", "items"], order="asc")}))
print(len({product["id"] for product in comanda.each("/v2/products", search="large-")}))
print(len({order["id"] for order in comanda.changes("/v2/orders", include=["details", "items"], updated_since="2020-01-01T00:00:00Z")}))
print(len({event["id"] for event in comanda.events(types=["order.created"])}))
`;

test.each(pythons)(
  'comanda.py reads lists, changes and the feed to their end where entries are large: %s',
  async (python) => {
    const { stdout } = await promisify(execFile)(python, ['-B', '-c', script, api.url, api.key.key], {
      cwd: join(repositoryRoot, 'dist/docs'),
    });
    expect(stdout.trim().split('\n')).toEqual([orders, products, orders, orders].map(String));
  },
);

test('comanda.mjs listen --once brings all of the feed where events are large', async () => {
  const began = await download({ url: api.url, key: api.key });
  const receiver = await startConsumer();
  const listen = [
    'listen',
    '--forward-to',
    receiver.url,
    ...words('--types order.created --once --since 1h'),
  ];
  expect(await began.run(listen)).toMatchObject({ code: 0 });
  await receiver.close();
  expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(orders);
});
