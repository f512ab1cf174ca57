import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { refusalOf } from '../support/answers.ts';
import { startTestApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { useTestDatabase } from '../support/database.ts';
import { orderBody, placeOrder, postOrder, useOrderKitchen } from '../support/orders.ts';
import { atLocks } from '../support/sql.ts';
import { reportFault, trials } from '../support/trials.ts';
import { useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';
import { startProxy } from '../worker/proxy.ts';

const database = useTestDatabase();
const proxy = useClosed(() => startProxy(database.url));
const api = useClosed(() => startTestApi({ databaseUrl: proxy.url }));
const kitchen = useOrderKitchen(api);
/** Straight to the server: one looks, the other holds a lock, since a transaction sees others as they were. */
const direct = useHand(database);
const holder = useHand(database);

beforeAll(async () => {
  // The location's counter exists from the first order on.
  await placeOrder(api, kitchen);
}, 120_000);

test('an order whose commit was sent when the connection died is a 503, and one order after the retry', {
  timeout: 300_000,
}, async () => {
  const count = trials(3, 25);
  for (let trial = 0; trial < count; trial++) {
    const body = orderBody(kitchen);
    const idempotencyKey = randomUUID();
    // The counter of the location holds the order up at its last step, so that only its answer can vanish.
    await holder.sql('begin');
    await holder.sql('select from internal.location_counters for update');
    const sent = postOrder(api, body, { idempotencyKey });
    await waitFor('the order to wait for the counter', async () => (await atLocks(direct.sql)) === 1);
    proxy.swallow('answers');
    await holder.sql('rollback');
    const orders = async () => {
      const rows = await direct.sql<{ id: string }>`
        select id from orders where external_id = ${body.external_id}`;
      return rows.map(({ id }) => id);
    };
    const [id] = await waitFor('the order to be committed', async () => {
      const found = await orders();
      return found.length > 0 && found;
    });
    proxy.cut();
    const answer = await sent;
    expect(refusalOf(answer, 503, 'internal_error')).toBe(
      'The service is not available at the moment; try again shortly.',
    );
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    proxy.mend();
    const retried = await waitFor('the retry to be answered', async () => {
      const again = await postOrder(api, body, { idempotencyKey });
      return again.status !== 503 && again;
    });
    expect(retried.status, retried.text).toBe(201);
    expect(retried.headers.get('idempotency-replayed')).toBe('true');
    expect(retried.body.data).toMatchObject({ id });
    expect(await orders()).toEqual([id]);
  }
  reportFault('the answer to a commit lost', { trials: count, real: count, duplicated: 0, lost: 0 });
});
