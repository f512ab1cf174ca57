import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { type Answer, startTestApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { createChance } from '../support/chance.ts';
import { useTestDatabase } from '../support/database.ts';
import { orderBody, orderOf, placeOrder, postOrder, useOrderKitchen } from '../support/orders.ts';
import { runOnce } from '../support/server.ts';
import { reportFault, trials } from '../support/trials.ts';
import { useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';
import { startProxy } from '../worker/proxy.ts';

const database = useTestDatabase();
const count = trials(1, 30);
const members = 6;
const proxy = useClosed(() => startProxy(database.url));
const api = useClosed(() => startTestApi({ databaseUrl: proxy.url }));
const kitchen = useOrderKitchen(api);
/** Straight to the server. */
const direct = useHand(database);

beforeAll(async () => {
  await placeOrder(api, kitchen);
  await runOnce(
    database.url,
    `create table slow (seconds float8); insert into slow values (0);
     create function slow_down() returns trigger language plpgsql security definer as $$
       begin perform pg_sleep(seconds) from slow; return null; end $$;
     create trigger slow_down before insert or update of status on orders for each statement execute function slow_down();
     create trigger slow_down after update on product_stock for each statement execute function slow_down()`,
  );
}, 120_000);

/** Makes batches take so long: calls come while one is under way, and the connection can die in the middle of it. */
const slowDown = (seconds: number) => direct.sql`update slow set seconds = ${seconds}`;

const places = ['before its commit', 'between its commit and the answer', 'after the answer'] as const;

/** Lets the connection die at this place of the batch of all but the first call, which goes alone. */
async function cutAt(place: (typeof places)[number], sent: Promise<Answer>[], done: () => Promise<number>) {
  await sent[0];
  if (place === 'after the answer') await Promise.all(sent);
  else {
    // A connection that is just being made would never send it.
    const asleep = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
    await waitFor('the batch to be under way', async () => (await direct.sql(asleep)).length > 0);
    if (place === 'between its commit and the answer') {
      proxy.swallow('answers');
      await waitFor('the batch to be committed', async () => (await done()) > 1);
    }
  }
  proxy.cut();
  const answers = await Promise.all(sent);
  await slowDown(0);
  proxy.mend();
  return answers;
}

/** Answers it once the service has its database again. */
const answered = (send: () => Promise<Answer>) =>
  waitFor('the service to answer', async () => {
    const answer = await send();
    return answer.status !== 503 && answer;
  });

/** Calls of one kind that go in a batch. */
interface Calls {
  send(index: number): Promise<Answer>;
  /** The status of a call that is done, and of one that is sent again after that. */
  done: number;
  again: number;
  /** What each leaves behind, in the order of the calls, and what is there. */
  names: readonly unknown[];
  made(): Promise<unknown[]>;
}

const kinds: readonly [name: string, prepare: () => Promise<Calls>][] = [
  [
    'orders',
    async () => {
      const calls = times(() => ({ body: orderBody(kitchen), idempotencyKey: randomUUID() as string }));
      const names = calls.map(({ body }) => body.external_id);
      return {
        names,
        done: 201,
        again: 201,
        send: (index) => postOrder(api, calls[index]?.body, calls[index]),
        made: () => column`select external_id as name from orders where external_id = any (${names})`,
      };
    },
  ],
  [
    'moves',
    async () => {
      const names = (await Promise.all(times(() => placeOrder(api, kitchen)))).map(({ id }) => id);
      const chance = createChance(7);
      const targets = times(() => chance.pick(['ready', 'canceled']));
      return {
        // Sent again it is made, or refused as one that was made.
        names,
        done: 200,
        again: 409,
        send: (index) =>
          api.rest(`PATCH /v2/orders/${names[index]}/status`, { body: { status: targets[index] } }),
        made: () =>
          column`select order_id as name from internal.order_moves where order_id = any (${names}::uuid[])`,
      };
    },
  ],
  [
    'adjustments',
    async () => {
      const id = await api.make.product({ stock: { quantity: members } });
      const keys = times(() => randomUUID());
      return {
        names: times(() => 1),
        done: 200,
        again: 200,
        send: (index) =>
          api.rest(`POST /v2/products/${id}/stock/adjust`, {
            body: { adjust: -1 },
            headers: { 'idempotency-key': keys[index] ?? '' },
          }),
        made: () =>
          column`select 1 as name from product_stock, generate_series(quantity + 1, ${members}) where product_id = ${id}`,
      };
    },
  ],
];

const times = <Value>(of: () => Value): Value[] => Array.from({ length: members }, of);
const column = async (text: TemplateStringsArray, ...values: unknown[]): Promise<unknown[]> =>
  (await direct.sql<{ name: unknown }>(text, ...values)).map(({ name }) => name);

test.each(kinds.flatMap(([kind, prepare]) => places.map((place) => [kind, place, prepare] as const)))(
  '%s of a batch whose connection dies %s are each done once, and none that was answered is lost',
  { timeout: 300_000 },
  async (kind, place, prepare) => {
    const met: Record<number, number> = {};
    for (let trial = 0; trial < count; trial += 1) {
      const { send, done, again, names, made } = await prepare();
      await slowDown(0.3);
      const answers = await cutAt(
        place,
        names.map((_, index) => send(index)),
        async () => (await made()).length,
      );
      const there = await made();
      expect(there.length).toBeGreaterThanOrEqual(answers.filter(({ status }) => status === done).length);
      for (const [index, first] of answers.entries()) {
        met[first.status] = (met[first.status] ?? 0) + 1;
        if (first.status === done) expect(there).toContain(names[index]);
        else expect(first.status, first.text).toBe(503);
        const second = await answered(() => send(index));
        expect([done, again], second.text).toContain(second.status);
        if (kind === 'orders' && first.status === done) expect(orderOf(first).id).toBe(orderOf(second).id);
      }
      expect((await made()).sort()).toEqual([...names].sort());
    }
    reportFault(`${kind} of a batch cut ${place}`, { trials: count, real: count, ...met });
    expect(met[503] === undefined).toBe(place === 'after the answer');
  },
);
