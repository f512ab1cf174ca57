import { setTimeout as sleep } from 'node:timers/promises';
import { createShop } from '../../api/catalog-shop.ts';
import { type Ground, openGround } from '../../concurrency/walk/ground.ts';
import type { Answer } from '../../support/api.ts';
import type { Chance } from '../../support/chance.ts';
import { startConsumer } from '../../support/consumer.ts';
import { createKey, createLocation, createPaymentMethod } from '../../support/factories.ts';

/** A restaurant whose tables a person edits, with something in each. */
export interface EditedGround extends Ground {
  /** Calls an operation by its name; every answer is documented, or below 500 where it is not REST. */
  mutate(name: string, input: unknown): Promise<Answer>;
  /** Sees to a second location, which edits may have removed. */
  secondLocation(): Promise<void>;
}

const unlimited = { perMinute: 1_000_000, monthly: 100_000_000, batchJobsPerHour: 1_000_000 };

/** Opens one. An edit may revoke or limit the key that calls: then the next one is made. */
export async function openEditedGround(chance: Chance): Promise<EditedGround> {
  const ground = await openGround(chance);
  const { restaurant, locationId } = ground;
  const { database } = restaurant;
  const consumer = await startConsumer();
  let key = (await createKey(database, { locationId, ...unlimited })).key;
  let turn = 0;

  async function send(
    at: number,
    route: string,
    call: Parameters<typeof restaurant.call>[2] = {},
  ): Promise<Answer> {
    const used = key;
    const answer = await restaurant.call(at, route, { key: used, ...call });
    if (answer.status < 400) return answer;
    const opened = await isOpenedAgain();
    if (!opened && (await isUsable(used))) return answer;
    if (!opened && key === used) key = (await createKey(database, { locationId, ...unlimited })).key;
    return send(at, route, call);
  }
  // An edit that disables the location is in its right, too. Every process obeys it within a second.
  async function isOpenedAgain(): Promise<boolean> {
    const { rowCount } = await database.pool.query(
      `update locations set status = 'active' where id = $1 and status <> 'active'`,
      [locationId],
    );
    if (rowCount === 1) await sleep(1_000);
    return rowCount === 1;
  }
  // The permissions of the key are read from the rows: an edit that removed them is legal.
  async function isUsable(text: string): Promise<boolean> {
    const { rows } = await database.pool.query(
      `select from api_keys where key_hash = sha256($1) and revoked_at is null and permissions = '{*}'
         and (expires_at is null or expires_at > now()) and per_minute >= 1000000 and monthly >= 100000000
         and batch_jobs_per_hour >= 1000000 and coalesce(max_items_per_batch, 1000) >= 1000`,
      [Buffer.from(text)],
    );
    return rows.length === 1;
  }
  async function call(route: string, body: unknown, ...statuses: number[]): Promise<Answer> {
    const headers = { 'idempotency-key': `k-${ground.next()}` };
    const answer = await send(turn++, route, body === undefined ? {} : { body, headers });
    if (!statuses.includes(answer.status))
      throw new Error(
        `${route} ${JSON.stringify(body) ?? ''}: ${answer.status} ${answer.text.slice(0, 2_000)}`,
      );
    return answer;
  }
  const edited: EditedGround = {
    ...ground,
    restaurant: { ...restaurant, call: send },
    call,
    async mutate(name, input) {
      const answer = await send(turn++, `POST /trpc/${name}`, { body: input });
      if (answer.status >= 500)
        throw new Error(`${name} ${JSON.stringify(input)}: ${answer.status} ${answer.text}`);
      return answer;
    },
    async secondLocation() {
      const { rows } = await database.pool.query('select from locations where id <> $1 limit 1', [
        locationId,
      ]);
      if (rows.length > 0) return;
      const other = await createLocation(database);
      await createShop({ app: { database } }, other);
      await createPaymentMethod(database, { locationId: other });
    },
    async close() {
      await ground.close();
      await consumer.close();
    },
  };
  await createShop({ app: { database } }, locationId);
  await edited.secondLocation();
  for (const events of [['order.created', 'catalog.updated'], ['payment.completed']])
    await edited.call('POST /v2/webhook-endpoints', { url: consumer.url, events }, 201);
  await edited.mutate('turns.open', {});
  const menu = await edited.mutate('menus.create', { name: 'Winter' });
  await edited.mutate('menus.publish', (menu.body as { result: { data: unknown } }).result.data);
  return edited;
}
