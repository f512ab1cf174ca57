import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { compare } from '../model/compare.ts';
import { startDrive } from '../model/drive.ts';
import type { Restaurant } from '../model/restaurant.ts';
import { openService, type Service } from '../model/service.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type Holder, hold } from './pressure/holder.ts';
import { median, refusals, requireHealth, slowest, startProbe, unclear } from './pressure/probe.ts';
import type { Call } from './support/caller.ts';

/** Longer than anybody waits for a lock (5 s), so that refusals are seen; the full form holds for a minute. */
const heldMs = trials(8_000, 60_000);

/** A refusal comes within this time: 3 s for a place and 5 s for a lock, and time for a busy machine. */
const clearWithinMs = 20_000;

describe('under locks of another session', { timeout: 300_000 }, () => {
  test('on the orders, what needs orders is refused clearly, everything else is served, nothing is half done', async () => {
    const service = await openService({ restaurants: 2, callers: 3 });
    const worker = await service.start('worker');
    const stuck = (turn: number) => read(restaurantAt(service, turn), 'GET /v2/orders?limit=5');
    const free = (turn: number) => readWithoutOrders(restaurantAt(service, turn), turn);
    const driven = startDrive(service.restaurants, { callers: 3, seed: 1, paceMs: 10 });
    const report = await underLock(service, 'lock table orders in access exclusive mode', 6, { stuck, free });
    await driven.stop();
    for (const { counts } of service.restaurants) expect(counts.unavailable).toBeGreaterThan(0);
    await compare(service);
    reportFault('orders locked', report);
    await worker.stop();
    await service.close();
  });

  test('on the rows of one location, its calls are refused clearly and the other location goes on', async () => {
    const service = await openService({ restaurants: 2, callers: 1 });
    const [held, other] = service.restaurants;
    if (held === undefined || other === undefined) throw new Error('two were asked for');
    const stuck = (turn: number) => order(held, `held-${turn}`);
    const free = (turn: number) =>
      turn % 3 === 0 ? order(other, `other-${turn}`) : withoutOrders(turn % 3 === 1 ? held : other, turn);
    const sql = `select from internal.location_counters where location_id = '${held.locationId}' for update`;
    // The counter comes with the first order.
    expect(await served(service.api.url ?? '', stuck)).toBe(true);
    // The calls wait in memory without a session; one or two attempts wait in the database for all of them.
    const report = await underLock(service, sql, 1, { stuck, free });
    await requireWhole(service);
    reportFault('one location locked', report);
    await service.close();
  });
});

/** Calls that run into the lock, and calls that do not need it. */
interface Callers {
  stuck(turn: number): Call;
  free(turn: number): Call;
}

/**
 * Takes the lock, lets callers and health checks run into it for `heldMs`, and holds them to the promises. At least
 * `real` sessions of the API must have waited for it, or there was no fault.
 */
async function underLock({ api, databaseUrl }: Service, sql: string, real: number, callers: Callers) {
  const baseUrl = api.url ?? '';
  const holder = await hold(databaseUrl, sql);
  const probes = {
    stuck: startProbe(baseUrl, 12, callers.stuck),
    free: startProbe(baseUrl, 4, callers.free),
    health: startProbe(baseUrl, 1, health),
  };
  const waited = await mostWaiting(holder, heldMs);
  await holder.close();
  await Promise.all(Object.values(probes).map((probe) => probe.stop()));
  expect(waited).toBeGreaterThanOrEqual(real);
  expect(Object.values(probes).flatMap(({ unanswered }) => unanswered)).toEqual([]);
  requireHealth(probes.health.seen);
  expect(refusals(probes.free.seen)).toEqual([]);
  expect(unclear(probes.stuck.seen)).toEqual([]);
  const refused = probes.stuck.seen.filter(({ status }) => status === 503);
  // Twelve callers: some of them were refused more than once.
  expect(refused.length).toBeGreaterThan(12);
  expect(probes.free.seen.length).toBeGreaterThan(4);
  expect(slowest(probes.stuck.seen)).toBeLessThan(clearWithinMs);
  await waitFor('a caller who was refused to be served', () => served(baseUrl, callers.stuck), {
    timeoutMs: 10_000,
  });
  return {
    ...{ trials: 1, real: 1, sessionsThatWaited: waited, refused: refused.length },
    ...{ medianRefusalMs: median(refused), slowestRefusalMs: slowest(refused) },
    ...{ servedBeside: probes.free.seen.length, medianBesideMs: median(probes.free.seen) },
    ...{ slowestBesideMs: slowest(probes.free.seen), slowestHealthMs: slowest(probes.health.seen) },
  };
}

async function mostWaiting(holder: Holder, ms: number): Promise<number> {
  let most = 0;
  for (const end = performance.now() + ms; performance.now() < end; await sleep(100))
    most = Math.max(most, await holder.waiting());
  return most;
}

async function served(baseUrl: string, nextCall: Callers['stuck']): Promise<boolean> {
  const probe = startProbe(baseUrl, 1, (turn) => nextCall(turn + 1_000_000));
  await waitFor('an answer', () => probe.seen.length > 0);
  await probe.stop();
  expect(refusals(probe.seen)).toEqual([]);
  return true;
}

/** No order is there in part. */
async function requireWhole({ database }: Service): Promise<void> {
  const { rows } = await database.pool.query(
    `select from orders o where not exists (select from order_items i where i.location_id = o.location_id and i.order_id = o.id)
       or not exists (select from payments p where p.location_id = o.location_id and p.order_id = o.id)`,
  );
  expect(rows).toEqual([]);
}

function restaurantAt({ restaurants }: Service, turn: number): Restaurant {
  const restaurant = restaurants[turn % restaurants.length];
  if (restaurant === undefined) throw new Error('two were asked for');
  return restaurant;
}

const health = (turn: number): Call => ({ route: `GET /${turn % 2 === 0 ? 'healthz' : 'readyz'}`, key: '' });

const read = ({ key }: Restaurant, route: string): Call => ({ route, key });

const freeRoutes = ['GET /v2/products?limit=5', 'GET /v2/categories', 'GET /v2/catalog', 'GET /v2/limits'];

function readWithoutOrders({ key }: Pick<Restaurant, 'key'>, turn: number): Call {
  return { route: freeRoutes[turn % freeRoutes.length] ?? '', key };
}

function withoutOrders({ key, model }: Restaurant, turn: number): Call {
  if (turn % 5 > 0) return readWithoutOrders({ key }, turn);
  const route = `PATCH /v2/products/${model.offer.products[0]?.id}`;
  return { route, key, body: { description: `turn ${turn}` } };
}

function order({ key, model }: Restaurant, idempotencyKey: string): Call {
  return {
    ...{ route: 'POST /v2/orders', key, idempotencyKey },
    body: {
      ...{ external_id: idempotencyKey, is_take_away: false, identifier: idempotencyKey },
      payment_method_id: model.methods[0]?.id,
      items: [{ product_id: model.offer.products[1]?.id, quantity: 1 }],
    },
  };
}
