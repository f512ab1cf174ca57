import { randomUUID } from 'node:crypto';
import { newId } from '@comanda/db';
import { beforeAll, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { createPaymentMethod } from '../support/factories.ts';
import { refused } from '../support/money.ts';
import { createPayments } from '../support/moved-payments.ts';
import { runOnce } from '../support/server.ts';

const api = useApi();
let methodId: string;
beforeAll(async () => {
  methodId = await createPaymentMethod(api.app.database, { locationId: api.locationId });
});

const pending = async (count: number) =>
  (await createPayments(api.app.database, { locationId: api.locationId, methodId }, count)).map(
    ({ id }) => id,
  );

// A client of its own: what one client calls at once is one request, whose calls come one after the other.
const complete = (id: string, idempotencyKey?: string) =>
  api.client().payments.complete.mutate({ id, ...(idempotencyKey !== undefined && { idempotencyKey }) });
const reject = (id: string) => api.client().payments.reject.mutate({ id });

/** The answer of a call that got no lock within its time. */
const unavailable = (call: Promise<unknown>) =>
  expect(call).rejects.toMatchObject({ data: { code: 'internal_error', httpStatus: 503 } });

/** How many transactions wrote these rows last. */
const transactionsOf = async (ids: readonly string[]): Promise<number> => {
  const rows = await api.sql<{ n: number }>`
    select count(distinct xmin::text)::int as n from payments where id = any (${ids})`;
  return rows[0]?.n ?? 0;
};

/** Does something while another transaction holds a payment's row. */
async function holding<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
  const client = await api.app.database.pool.connect();
  try {
    await client.query('begin');
    await client.query('select from payments where id = $1 for update', [id]);
    return await work();
  } finally {
    await client.query('rollback');
    client.release();
  }
}

it('calls that come at once are answered as if each had come alone, and share a transaction', async () => {
  // So that each batch takes a while, and the others come meanwhile.
  await runOnce(
    api.app.database.pool.options.connectionString ?? '',
    `create function slow_down() returns trigger language plpgsql as $$
       begin perform pg_sleep(0.3); return null; end $$;
     create trigger slow_down before update on payments for each statement execute function slow_down()`,
  );
  const ids = await pending(20);
  const [moved = '', keyed = '', ...others] = ids;
  await complete(moved);
  const key = randomUUID();
  const [unknown, again, first] = await Promise.all([
    refused(complete(newId())),
    refused(reject(moved)),
    complete(keyed, key),
    ...others.map(async (id, n) => {
      const answer = await (n % 3 === 0 ? reject(id) : complete(id));
      expect(answer).toMatchObject({ id, status: n % 3 === 0 ? 'rejected' : 'completed' });
    }),
  ]);
  expect(unknown.code).toBe('resource_not_found');
  expect(again).toEqual({
    code: 'conflict',
    message: 'The payment cannot move from completed to rejected: completed is final.',
  });
  expect(await complete(keyed, key)).toEqual(first);
  expect(await transactionsOf(others)).toBeLessThan(others.length);
  await runOnce(api.app.database.pool.options.connectionString ?? '', 'drop trigger slow_down on payments');
});

it('payments of a batch are moved without the one that another transaction holds, which waits alone', async () => {
  const [first = '', held = '', ...others] = await pending(12);
  await holding(held, async () => {
    const began = performance.now();
    // While the first is written the others come.
    const beside = [complete(first)];
    const waits = unavailable(complete(held));
    beside.push(...others.map((id) => complete(id)));
    for (const answer of await Promise.all(beside)) expect(answer.status).toBe('completed');
    expect(performance.now() - began).toBeLessThan(2_000);
    // The two seconds of lock_timeout: it gives up, and says when to come again.
    await waits;
    expect(performance.now() - began).toBeGreaterThan(2_000);
  });
  expect(await complete(held)).toMatchObject({ id: held, status: 'completed' });
});

it('a keyed call waits for a held payment in its own slot', async () => {
  const [held = '', ...others] = await pending(6);
  await holding(held, async () => {
    const key = randomUUID();
    const waits = unavailable(complete(held, key));
    for (const id of others) expect((await reject(id)).status).toBe('rejected');
    await waits;
  });
});
