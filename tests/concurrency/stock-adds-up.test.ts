import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { createChance } from '../support/chance.ts';
import { createKey, createProduct } from '../support/factories.ts';
import { orderBody, orderOf } from '../support/orders.ts';
import { runOnce } from '../support/server.ts';
import { trials } from '../support/trials.ts';
import { useTwoServers } from './two-servers.ts';

const two = useTwoServers();
const callers = 4;
const steps = trials(40, 200);
const start = 50;

let productId: string;
let key: string;
beforeAll(async () => {
  const { database, locationId } = two;
  ({ key } = await createKey(database, { locationId, batchJobsPerHour: 100_000 }));
  productId = await createProduct(two.database, {
    locationId: two.locationId,
    stock: { enabled: true, quantity: start },
  });
  // Every value that the stock had, in its order.
  await runOnce(
    two.database.pool.options.connectionString ?? '',
    `create table steps (n serial, before numeric, after numeric); grant select on steps to public;
     create function note_step() returns trigger language plpgsql security definer set search_path = public as $$
       begin insert into steps (before, after) values (old.quantity, new.quantity); return null; end $$;
     create trigger note_step after update of quantity on product_stock for each row
       when (old.quantity <> new.quantity) execute function note_step()`,
  );
});

const milli = (value: number) => Math.round(value * 1000);

/** A step that was answered with success: by how much, and from what where the answer or the request says so. */
interface Step {
  by: number;
  from?: number;
}

// Sets, changes by so much, orders and cancellations at once over two servers: each success is a step from what was there.
test('stock is the sum of additions less removals under concurrent writers, and "expected" holds at the moment of its change', async () => {
  const succeeded: Step[] = [];
  const counted: number[] = [];
  const refused = { changed: 0, range: 0, sold: 0 };
  const resultOf = (answer: Answer) => {
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { data: { success_items: number; errors: { code: string; quantity?: number }[] } })
      .data;
  };
  const sync = (lane: number, item: object) =>
    two.call(lane, 'POST /v2/stock/sync', { key, body: { items: [{ product_id: productId, ...item }] } });
  const caller = async (lane: number) => {
    const chance = createChance(lane + 1);
    let known = start;
    const orders: { id: string; quantity: number }[] = [];
    for (let step = 0; step < steps; step += 1) {
      const by = chance.pick([-1, 1]) * (chance.between(1, 8_000) / 1000);
      const kind = chance.pick([
        'adjust',
        'adjust expected',
        'set',
        'count',
        'batch',
        'order',
        'order',
        'cancel',
      ]);
      if (kind === 'adjust' || kind === 'adjust expected') {
        const expected = kind === 'adjust' ? {} : { expected: known };
        const answer = await two.call(lane, `POST /v2/products/${productId}/stock/adjust`, {
          body: { adjust: by, ...expected },
          headers: { 'idempotency-key': randomUUID() },
        });
        if (answer.status === 200) {
          known = (answer.body as { data: { quantity: number } }).data.quantity;
          succeeded.push({ by: milli(by), from: milli(known) - milli(by) });
          if (kind === 'adjust expected')
            expect(milli(known) - milli(by)).toBe(milli(expected.expected ?? -1));
        } else {
          expect(answer.status, answer.text).toBe(409);
          refused[answer.headers.get('x-error-reason') === 'stock_changed' ? 'changed' : 'range'] += 1;
        }
      } else if (kind === 'set') {
        const quantity = chance.between(0, 60_000) / 1000;
        const { success_items, errors } = resultOf(await sync(lane, { quantity, expected: known }));
        if (success_items === 1) {
          succeeded.push({ by: milli(quantity) - milli(known), from: milli(known) });
          known = quantity;
        } else {
          refused.changed += 1;
          expect(errors[0]?.code).toBe('conflict');
          known = errors[0]?.quantity ?? Number.NaN;
        }
      } else if (kind === 'count') {
        // A count alone is set over any stock: it may be any step that ends in it.
        const quantity = chance.between(0, 9_000) / 1000;
        expect(resultOf(await sync(lane, { quantity })).success_items).toBe(1);
        counted.push(milli(quantity));
        known = quantity;
      } else if (kind === 'batch') {
        const { success_items, errors } = resultOf(await sync(lane, { adjust: by }));
        if (success_items === 1) succeeded.push({ by: milli(by) });
        else {
          refused.range += 1;
          known = errors[0]?.quantity ?? Number.NaN;
        }
      } else if (kind === 'order') {
        const quantity = chance.between(1, 5);
        const body = orderBody(
          { productId, paymentMethodId: two.paymentMethodId },
          { items: [{ product_id: productId, quantity }] },
        );
        const answer = await two.order(lane, randomUUID(), body);
        if (answer.status === 201) {
          orders.push({ id: orderOf(answer).id, quantity });
          succeeded.push({ by: -milli(quantity) });
        } else {
          expect(answer.status, answer.text).toBe(422);
          refused.sold += 1;
        }
      } else {
        const order = orders.shift();
        if (order === undefined) continue;
        const answer = await two.call(lane, `POST /v2/orders/${order.id}/cancel`);
        expect(answer.status, answer.text).toBe(200);
        succeeded.push({ by: milli(order.quantity) });
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, lane) => caller(lane)));

  const rows = await two.sql<{ before: string; after: string }>`select before, after from steps order by n`;
  const walked = rows.map(({ before, after }) => [milli(Number(before)), milli(Number(after))] as const);
  // One chain, from what was there at first.
  expect(walked.map(([before]) => before)).toEqual([
    milli(start),
    ...walked.slice(0, -1).map(([, after]) => after),
  ]);
  expect(Math.min(...walked.map(([, after]) => after))).toBeGreaterThanOrEqual(0);
  const sorted = (values: readonly number[]) => values.toSorted((one, other) => one - other);
  const made = succeeded.filter(({ by }) => by !== 0);
  // Each count ends a step of its own, unless it was there already; every other step is one that was answered.
  const others = [...walked];
  for (const quantity of counted) {
    const taken = others.findIndex(
      ([before, after]) =>
        after === quantity && !made.some(({ by, from }) => from === before && by === after - before),
    );
    if (taken >= 0) others.splice(taken, 1);
  }
  expect(sorted(others.map(([before, after]) => after - before))).toEqual(sorted(made.map(({ by }) => by)));
  const links = walked.map(([before, after]) => `${before} ${after}`);
  for (const { by, from } of made) if (from !== undefined) expect(links).toContain(`${from} ${from + by}`);
  const answer = await two.call(0, `GET /v1/products/${productId}/stock`);
  expect(milli((answer.body as { data: { quantity: number } }).data.quantity)).toBe(walked.at(-1)?.[1]);
  expect(Math.min(refused.changed, refused.range + refused.sold)).toBeGreaterThan(0);
  process.stdout.write(
    `stock: ${made.length} changes by ${callers} callers, refused ${JSON.stringify(refused)}\n`,
  );
}, 120_000);
