import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createChance } from '../e2e/day/chance.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type Holder, hold } from './pressure/holder.ts';
import { median, refusals, requireHealth, slowest, startProbe, unclear } from './pressure/probe.ts';
import type { Call } from './support/caller.ts';
import { startLoad } from './support/load.ts';
import { complaintsOf, reconcile } from './support/reconcile.ts';
import type { Shop } from './support/shop.ts';
import { openSite, type Site } from './support/site.ts';

/** Longer than anybody waits for a lock (5 s), so that refusals are seen; the full form holds for a minute. */
const heldMs = trials(8_000, 60_000);

/** A refusal comes within this time: 3 s for a place and 5 s for a lock, and time for a busy machine. */
const clearWithinMs = 20_000;

describe('under locks of another session', { timeout: 300_000 }, () => {
  test('on the orders, what needs orders is refused clearly, everything else is served, nothing is half done', async () => {
    const site = await openSite({ shops: 2, lanes: 3 });
    const stuck = (turn: number) => read(shopAt(site, turn), 'GET /v2/orders?limit=5');
    const free = (turn: number) => withoutOrders(shopAt(site, turn), turn);
    const load = startLoad({ ...site, lanes: 3, chance: createChance(1), paceMs: 10 });
    const report = await underLock(site, 'lock table orders in access exclusive mode', 6, { stuck, free });
    await load.stop();
    expect(site.ledger.unavailable).toBeGreaterThan(0);
    await requireAllWell(site);
    reportFault('orders locked', report);
    await site.close();
  });

  test('on the rows of one location, its calls are refused clearly and the other location goes on', async () => {
    const site = await openSite({ shops: 2, lanes: 3 });
    const [held, other] = site.shops;
    if (held === undefined || other === undefined) throw new Error('two shops are needed');
    const stuck = (turn: number) => order(held, `held-${turn}`);
    const free = (turn: number) =>
      turn % 3 === 0 ? order(other, `other-${turn}`) : withoutOrders(turn % 3 === 1 ? held : other, turn);
    const sql = `select from internal.location_counters where location_id = '${held.locationId}' for update`;
    // The counter comes with the first order.
    expect(await served(site.api.url ?? '', stuck)).toBe(true);
    // The calls wait in memory without a session; one or two attempts wait in the database for all of them.
    const report = await underLock(site, sql, 1, { stuck, free });
    await requireAllWell(site, { orders: false });
    reportFault('one location locked', report);
    await site.close();
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
async function underLock(
  site: Site & { api: { url?: string } },
  sql: string,
  real: number,
  callers: Callers,
) {
  const baseUrl = site.api.url ?? '';
  const holder = await hold(site.databaseUrl, sql);
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

async function requireAllWell(site: Site, { orders = true } = {}): Promise<void> {
  const { lost, duplicated, half, ...found } = await reconcile(site.databaseUrl, site.ledger, site.shops);
  expect({ lost, half }).toEqual({ lost: [], half: [] });
  if (orders) expect(complaintsOf({ ...found, lost, half, duplicated })).toEqual([]);
  const { rows } = await site.database.pool.query(
    `select from orders o where not exists (select from order_items i where i.location_id = o.location_id and i.order_id = o.id)
       or not exists (select from payments p where p.location_id = o.location_id and p.order_id = o.id)`,
  );
  expect(rows).toEqual([]);
}

function shopAt({ shops }: Site, turn: number): Shop {
  return shops[turn % shops.length] ?? never();
}

const never = (): never => {
  throw new Error('there are no shops');
};

const health = (turn: number): Call => ({ route: `GET /${turn % 2 === 0 ? 'healthz' : 'readyz'}`, key: '' });

const read = ({ key }: Shop, route: string): Call => ({ route, key });

const freeRoutes = ['GET /v2/products?limit=5', 'GET /v2/categories', 'GET /v2/catalog', 'GET /v2/limits'];

function withoutOrders({ key, products }: Shop, turn: number): Call {
  const route = freeRoutes[turn % (freeRoutes.length + 1)];
  if (route !== undefined) return { route, key };
  return { route: `PATCH /v2/products/${products[0]?.id}`, key, body: { description: `turn ${turn}` } };
}

function order({ key, paymentMethodId, products }: Shop, idempotencyKey: string): Call {
  return {
    ...{ route: 'POST /v2/orders', key, idempotencyKey },
    body: {
      ...{ external_id: idempotencyKey, is_take_away: false, identifier: idempotencyKey },
      payment_method_id: paymentMethodId,
      items: [{ product_id: products.at(-1)?.id, quantity: 1 }],
    },
  };
}
