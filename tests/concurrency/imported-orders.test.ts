import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createProduct } from '../support/factories.ts';
import { orderBody, orderOf } from '../support/orders.ts';
import { useTwoServers } from './two-servers.ts';

const two = useTwoServers();

it('where orders were imported by SQL, and none was made before, orders are made and counted on', async () => {
  const { database, locationId, paymentMethodId } = two;
  const productId = await createProduct(database, { locationId });
  await two.sql`insert into orders (location_id, number, total, payment_method_id)
    select ${locationId}, n, 1, ${paymentMethodId} from generate_series(1, 50) n`;
  const post = (turn: number, family: string) =>
    two.call(turn, `POST /${family}/orders`, {
      body: orderBody({ productId, paymentMethodId }),
      headers: { 'idempotency-key': randomUUID() },
    });
  const answers = await Promise.all([0, 1, 2, 3].map((turn) => post(turn, turn < 2 ? 'v1' : 'v2')));
  expect(answers.filter(({ status }) => status !== 201).map(({ text }) => text)).toEqual([]);
  const numbers = answers.map((answer) => orderOf(answer).number).sort((a, b) => a - b);
  expect(numbers).toEqual([51, 52, 53, 54]);
}, 60_000);
