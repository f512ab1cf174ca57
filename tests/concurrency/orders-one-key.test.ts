import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { createProduct } from '../support/factories.ts';
import { orderBody, orderOf } from '../support/orders.ts';
import { trials } from '../support/trials.ts';
import { useTwoServers } from './two-servers.ts';

const two = useTwoServers();
const rounds = trials(10, 200);
let productId: string;
beforeAll(async () => {
  productId = await createProduct(two.database, { locationId: two.locationId, stock: { quantity: 100_000 } });
});

it('an order sent 20 times at once with one key, among others and over two servers, is made once', async () => {
  const bodyOf = () => orderBody({ productId, paymentMethodId: two.paymentMethodId });
  for (let round = 0; round < rounds; round += 1) {
    const [key, body] = [randomUUID(), bodyOf()];
    const sent = Array.from({ length: 30 }, (_, index) =>
      index % 3 === 2 ? two.order(index >> 1, randomUUID(), bodyOf()) : two.order(index >> 1, key, body),
    );
    const answers = await Promise.all(sent);
    for (const { status, text } of answers) expect(status, text).toBe(201);
    const same = answers.filter((_, index) => index % 3 !== 2);
    expect(new Set(same.map((answer) => orderOf(answer).id)).size).toBe(1);
    expect(same.filter(({ headers }) => headers.get('idempotency-replayed') !== 'true')).toHaveLength(1);
    expect(new Set(answers.map((answer) => orderOf(answer).id)).size).toBe(11);
  }
  const rows = await two.sql`
    select count(*)::int as orders, max(number)::int as last from orders where location_id = ${two.locationId}`;
  expect(rows).toEqual([{ orders: 11 * rounds, last: 11 * rounds }]);
});
