import { expect, test } from 'vitest';
import { compare } from '../model/compare.ts';
import { startDrive } from '../model/drive.ts';
import type { Restaurant } from '../model/restaurant.ts';
import { openService, type Service } from '../model/service.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type Holder, hold } from './pressure/holder.ts';
import {
  median,
  type Probe,
  refusals,
  requireHealth,
  slowest,
  startProbe,
  unclear,
} from './pressure/probe.ts';
import type { Call } from './support/caller.ts';

/** For so long at least, and until callers were refused more than once; anybody waits 5 s for a lock. */
const heldMs = trials(0, 60_000);

/** A refusal comes within this time: 3 s for a place and 5 s for a lock, and time for a busy machine. */
const clearWithinMs = 20_000;

test('under locks of another session what needs them is refused clearly, everything else is served, nothing is half done', {
  timeout: 300_000,
}, async () => {
  const service = await openService({ restaurants: 2, callers: 3 });
  const worker = await service.start('worker');
  const [held, other] = service.restaurants;
  if (held === undefined || other === undefined) throw new Error('two were asked for');
  const at = (turn: number) => (turn % 2 === 0 ? held : other);
  const driven = startDrive(service.restaurants, { callers: 3, seed: 1, paceMs: 10 });
  const orders = await underLock(service, 'lock table orders in access exclusive mode', 6, {
    stuck: (turn) => ({ route: 'GET /v2/orders?limit=5', key: at(turn).key }),
    free: (turn) => readWithoutOrders(at(turn), turn),
  });
  await driven.stop();
  for (const { counts } of service.restaurants) expect(counts.unavailable).toBeGreaterThan(0);
  await compare(service);
  reportFault('orders locked', orders);

  // On the rows of one location its calls alone are refused, and the other location goes on.
  const sql = `select from internal.location_counters where location_id = '${held.locationId}' for update`;
  // One session has to wait for the lock: the other calls for this location wait in memory.
  const location = await underLock(service, sql, 1, {
    stuck: (turn) => order(held, `held-${turn}`),
    free: (turn) =>
      turn % 3 === 0 ? order(other, `other-${turn}`) : withoutOrders(turn % 3 === 1 ? held : other, turn),
  });
  await requireWhole(service);
  reportFault('one location locked', location);
  await Promise.all([worker.stop(), service.api.stop()]);
  await service.close();
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
  const waited = await mostWaiting(
    holder,
    () => refusedOf(probes.stuck).length > 12 && probes.free.seen.length > 4 && probes.health.seen.length > 8,
  );
  await holder.close();
  await Promise.all(Object.values(probes).map((probe) => probe.stop()));
  expect(waited).toBeGreaterThanOrEqual(real);
  expect(Object.values(probes).flatMap(({ unanswered }) => unanswered)).toEqual([]);
  requireHealth(probes.health.seen);
  expect(refusals(probes.free.seen)).toEqual([]);
  expect(unclear(probes.stuck.seen)).toEqual([]);
  const refused = refusedOf(probes.stuck);
  // Twelve callers: some of them were refused more than once.
  expect(refused.length).toBeGreaterThan(12);
  expect(probes.free.seen.length).toBeGreaterThan(4);
  expect(slowest(probes.stuck.seen)).toBeLessThan(clearWithinMs);
  await waitFor('a caller who was refused to be served', () => served(baseUrl, callers.stuck), {
    timeoutMs: 10_000,
  });
  return {
    trials: 1,
    real: 1,
    sessionsThatWaited: waited,
    refused: refused.length,
    medianRefusalMs: median(refused),
    slowestRefusalMs: slowest(refused),
    servedBeside: probes.free.seen.length,
    medianBesideMs: median(probes.free.seen),
    slowestBesideMs: slowest(probes.free.seen),
    slowestHealthMs: slowest(probes.health.seen),
  };
}

const refusedOf = ({ seen }: Probe) => seen.filter(({ status }) => status === 503);

async function mostWaiting(holder: Holder, isEnough: () => boolean): Promise<number> {
  let most = 0;
  const end = performance.now() + heldMs;
  await waitFor(
    'refusals',
    async () => {
      most = Math.max(most, await holder.waiting());
      return performance.now() >= end && isEnough();
    },
    { timeoutMs: heldMs + 60_000, intervalMs: 100 },
  );
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

const health = (turn: number): Call => ({ route: `GET /${turn % 2 === 0 ? 'healthz' : 'readyz'}`, key: '' });

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
    route: 'POST /v2/orders',
    key,
    idempotencyKey,
    body: {
      external_id: idempotencyKey,
      is_take_away: false,
      identifier: idempotencyKey,
      payment_method_id: model.methods[0]?.id,
      items: [{ product_id: model.offer.products[1]?.id, quantity: 1 }],
    },
  };
}
