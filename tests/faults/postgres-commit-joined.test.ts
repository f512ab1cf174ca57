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
const count = trials(2, 30);
const members = 6;
const proxy = useClosed(() => startProxy(database.url));
const api = useClosed(() => startTestApi({ databaseUrl: proxy.url }));
const kitchen = useOrderKitchen(api);
/** Straight to the server. */
const direct = useHand(database);

beforeAll(async () => {
  await placeOrder(api, kitchen);
  // So that calls come while a batch is under way, and the connection can die in the middle of one.
  await runOnce(
    database.url,
    `create function slow_down() returns trigger language plpgsql as $$
       begin perform pg_sleep(0.4); return null; end $$;
     create trigger slow_down before insert or update of status on orders for each statement execute function slow_down()`,
  );
}, 120_000);

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
  proxy.mend();
  return answers;
}

/** Answers it once the service has its database again. */
const answered = (send: () => Promise<Answer>) =>
  waitFor('the service to answer', async () => {
    const answer = await send();
    return answer.status !== 503 && answer;
  });

test.each(places)(
  'orders of a batch whose connection dies %s are each made once, and none that was answered is lost',
  { timeout: 300_000 },
  async (place) => {
    const met: Record<number, number> = {};
    for (let trial = 0; trial < count; trial += 1) {
      const calls = Array.from({ length: members }, () => ({ body: orderBody(kitchen), key: randomUUID() }));
      const externalIds = calls.map(({ body }) => body.external_id);
      const made = () =>
        direct.sql<{
          external_id: string;
        }>`select external_id from orders where external_id = any (${externalIds})`;
      const sent = calls.map(({ body, key }) => postOrder(api, body, { idempotencyKey: key }));
      const answers = await cutAt(place, sent, async () => (await made()).length);
      for (const [index, { body, key }] of calls.entries()) {
        const first = answers[index];
        met[first?.status ?? 0] = (met[first?.status ?? 0] ?? 0) + 1;
        const again = await answered(() => postOrder(api, body, { idempotencyKey: key }));
        expect(again.status, again.text).toBe(201);
        if (first?.status === 201) expect(orderOf(first).id).toBe(orderOf(again).id);
        else expect(first?.status, first?.text).toBe(503);
      }
      const rows = await made();
      expect(rows.map(({ external_id }) => external_id).sort()).toEqual([...externalIds].sort());
    }
    reportFault(`orders of a batch cut ${place}`, { trials: count, real: count, ...met });
    expect(met[place === 'after the answer' ? 201 : 503]).toBeGreaterThan(0);
  },
);

test.each(places)(
  'moves of a batch whose connection dies %s are each done once, and none that was answered is lost',
  { timeout: 300_000 },
  async (place) => {
    const met: Record<number, number> = {};
    const chance = createChance(7);
    for (let trial = 0; trial < count; trial += 1) {
      const ids: string[] = [];
      for (let each = 0; each < members; each += 1) ids.push((await placeOrder(api, kitchen)).id);
      const targets = ids.map(() => chance.pick(['ready', 'canceled'] as const));
      const move = (index: number) =>
        api.rest(`PATCH /v2/orders/${ids[index]}/status`, { body: { status: targets[index] } });
      const moves = async () => {
        const rows = await direct.sql<{ order_id: string }>`
          select order_id from internal.order_moves where order_id = any (${ids}::uuid[])`;
        return rows.map(({ order_id }) => order_id);
      };
      const answers = await cutAt(
        place,
        ids.map((_, index) => move(index)),
        async () => (await moves()).length,
      );
      for (const [index, { status, text }] of answers.entries()) {
        met[status] = (met[status] ?? 0) + 1;
        if (status === 200) expect(await moves()).toContain(ids[index]);
        else expect(status, text).toBe(503);
        // Sent again it is made, or refused as one that was made.
        expect([200, 409]).toContain((await answered(() => move(index))).status);
      }
      expect((await moves()).sort()).toEqual([...ids].sort());
    }
    reportFault(`moves of a batch cut ${place}`, { trials: count, real: count, ...met });
    expect(met[place === 'after the answer' ? 200 : 503]).toBeGreaterThan(0);
  },
);

test.each(places)(
  'adjustments of a batch whose connection dies %s are each done once, and none that was answered is lost',
  { timeout: 300_000 },
  async (place) => {
    const met: Record<number, number> = {};
    for (let trial = 0; trial < count; trial += 1) {
      const id = await api.make.product({ stock: { quantity: 1_000 } });
      // Of this product alone: one of the orders above is not slower for it.
      await runOnce(
        database.url,
        `drop trigger if exists slow_down on product_stock; create trigger slow_down after update on product_stock for each row
           when (new.product_id = '${id}') execute function slow_down()`,
      );
      const keys = Array.from({ length: members }, () => randomUUID());
      const adjust = (key: string) =>
        api.rest(`POST /v2/products/${id}/stock/adjust`, {
          body: { adjust: -1 },
          headers: { 'idempotency-key': key },
        });
      const taken = async () => {
        const [stock] = await direct.sql`select quantity from product_stock where product_id = ${id}`;
        return 1_000 - Number(stock?.quantity);
      };
      const answers = await cutAt(place, keys.map(adjust), taken);
      const known = answers.filter(({ status }) => status === 200).length;
      expect(await taken()).toBeGreaterThanOrEqual(known);
      for (const [index, { status, text }] of answers.entries()) {
        met[status] = (met[status] ?? 0) + 1;
        expect([200, 503], text).toContain(status);
        expect((await answered(() => adjust(keys[index] ?? ''))).status).toBe(200);
      }
      expect(await taken()).toBe(members);
    }
    reportFault(`adjustments of a batch cut ${place}`, { trials: count, real: count, ...met });
    expect(met[place === 'after the answer' ? 200 : 503]).toBeGreaterThan(0);
  },
);
