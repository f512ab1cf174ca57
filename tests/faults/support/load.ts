import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../../e2e/day/chance.ts';
import { type Call, createCaller, type Outcome } from './caller.ts';
import { digestOf } from './digest.ts';
import type { EntryState, Ledger, MoveEntry, OrderEntry, RegisterEntry } from './ledger.ts';
import type { Shop } from './shop.ts';

/** The running parts, and the target. */
export interface LoadOptions {
  /** The base URL to call; waits while there is none. Asked before every call. */
  target(): Promise<string>;
  shops: readonly Shop[];
  ledger: Ledger;
  /** Writers at work in every shop; at most as many as it has registers. */
  lanes: number;
  chance: Chance;
  /** Time between two calls of a writer. */
  paceMs?: number;
  /** One call in so many starts a products sync job; none unless said. */
  jobEvery?: number;
  /** Items of a job: 50 to 400 unless said. */
  jobItems?: readonly [least: number, most: number];
  /** Called with every call as it is made; its result is called with the outcome. */
  observe?(baseUrl: string, call: Call): (outcome: Outcome) => void;
}

/** A load that runs. */
export interface Load {
  /** Calls that are written whole and not answered yet. */
  inFlight(): number;
  /** Calls that were answered so far. */
  answered(): number;
  /** Waits until no call is under way. Of use only while `target` waits. */
  idle(): Promise<void>;
  /** Ends it once every call is answered; what stays without answers for `patienceMs` is left unknown. */
  stop(patienceMs?: number): Promise<void>;
}

/**
 * Mixed load, as a careful ERP makes it: orders with idempotency keys, their moves and cancellations, product changes,
 * stock syncs, sync jobs. A call without an answer is sent again until there is one. Everything goes into the ledger.
 */
export function startLoad({ target, shops, ledger, chance, observe, ...options }: LoadOptions): Load {
  const { lanes, paceMs = 0, jobEvery = 0, jobItems = [50, 400] } = options;
  const caller = createCaller();
  const run = `${Date.now().toString(36)}${chance.between(0, 1_679_615).toString(36)}`;
  let underWay = 0;
  let made = 0;
  let answered = 0;
  let stopping = false;
  let giveUp = false;

  /** Sends until there is an answer. Undefined when it was given up. `again`: it had been sent before. */
  const settle = async (entry: { state: EntryState }, call: Call) => {
    for (let again = false; ; ) {
      const baseUrl = await target();
      if (giveUp) return undefined;
      underWay += 1;
      const heard = observe?.(baseUrl, call);
      const outcome = await caller.call(baseUrl, call).finally(() => {
        underWay -= 1;
      });
      heard?.(outcome);
      if (outcome.kind === 'answered') answered += 1;
      if (outcome.kind === 'answered' && outcome.status < 500 && outcome.status !== 429) {
        entry.state = outcome.status < 300 ? 'acknowledged' : 'refused';
        if (outcome.replayed) ledger.replayed += 1;
        return { ...outcome, again };
      }
      if (outcome.kind === 'unknown') ledger.unanswered += 1;
      if (outcome.kind === 'answered' && outcome.status === 503) ledger.unavailable += 1;
      else if (outcome.kind === 'answered' && outcome.status >= 500)
        ledger.faults.push(`${call.route}: ${outcome.status} ${outcome.text}`);
      if (outcome.kind !== 'unsent') again = true;
      if (giveUp) return undefined;
      await sleep(50);
    }
  };

  const order = async (shop: Shop, lane: number) => {
    const key = `${run}-${lane}-${made++}`;
    const lines = Array.from({ length: chance.between(1, 3) }, () => {
      const { id, cents } = chance.pick(shop.products);
      return { productId: id, quantity: chance.between(1, 3), cents };
    });
    const entry: OrderEntry = {
      ...{ locationId: shop.locationId, key, externalId: `PO ${key}`, lines, state: 'unknown', moves: [] },
    };
    ledger.orders.push(entry);
    const body = {
      external_id: entry.externalId,
      ...{ is_take_away: chance.percent(30), identifier: key, payment_method_id: shop.paymentMethodId },
      items: lines.map(({ productId, quantity }) => ({ product_id: productId, quantity })),
    };
    const route = `POST /v${chance.between(1, 2)}/orders`;
    const answer = await settle(entry, { route, key: shop.key, body, idempotencyKey: key });
    if (answer === undefined) return;
    if (entry.state === 'refused') {
      if (!answer.text.includes('insufficient stock'))
        ledger.faults.push(`order ${key}: ${answer.status} ${answer.text}`);
      return;
    }
    if (answer.replayed && !answer.again) ledger.faults.push(`order ${key} was answered before it was sent`);
    const { data } = JSON.parse(answer.text) as { data: { id: string; number: number } };
    entry.answer = { id: data.id, number: data.number, digest: digestOf(answer.text) };
    await serve(shop, entry, data.id);
  };

  const move = async (shop: Shop, { moves }: OrderEntry, id: string, to: MoveEntry['to']) => {
    const entry: MoveEntry = { to, state: 'unknown' };
    moves.push(entry);
    const cancel = to === 'canceled' && chance.percent(50);
    const route = cancel ? `POST /v2/orders/${id}/cancel` : `PATCH /v2/orders/${id}/status`;
    const body = cancel ? { reason: 'nobody came' } : { status: to };
    const answer = await settle(entry, { route, key: shop.key, body });
    // No other call moves this order: its status shows that the call without an answer was done.
    if (answer?.again && answer.status === 409) entry.state = 'acknowledged';
    else if (entry.state === 'refused')
      ledger.faults.push(`${route} to ${to}: ${answer?.status} ${answer?.text}`);
    return entry.state === 'acknowledged';
  };

  const serve = async (shop: Shop, entry: OrderEntry, id: string) => {
    const fate = chance.between(1, 10);
    if (fate <= 2) return;
    if (fate <= 4) return void (await move(shop, entry, id, 'canceled'));
    if ((await move(shop, entry, id, 'ready')) && fate > 5)
      await move(shop, entry, id, fate <= 6 ? 'canceled' : 'closed');
  };

  const set = async (shop: Shop, register: RegisterEntry) => {
    const { kind, productId, settings } = register;
    const setting = { value: (settings.at(-1)?.value ?? 0) + 1, state: 'unknown' as EntryState };
    settings.push(setting);
    const call =
      kind === 'name'
        ? { route: `PATCH /v2/products/${productId}`, body: { name: `Register ${setting.value}` } }
        : {
            route: 'POST /v2/stock/sync',
            body: { items: [{ product_id: productId, quantity: setting.value }] },
          };
    const answer = await settle(setting, { key: shop.key, ...call });
    if (setting.state === 'refused') ledger.faults.push(`${call.route}: ${answer?.status} ${answer?.text}`);
  };

  const importProducts = async (shop: Shop, lane: number) => {
    const key = `${run}-${lane}-${made++}`;
    const count = chance.between(...jobItems);
    const entry: Ledger['jobs'][number] = { locationId: shop.locationId, key, count, state: 'unknown' };
    ledger.jobs.push(entry);
    const items = Array.from({ length: count }, (_, index) => {
      const name = `${key}-${index}`;
      return { external_id: name, name, price: index / 100 };
    });
    const body = { mode: 'create', items };
    const call = { route: 'POST /v2/sync/products', key: shop.key, body, idempotencyKey: key };
    const answer = await settle(entry, call);
    if (entry.state === 'refused') ledger.faults.push(`${call.route}: ${answer?.status} ${answer?.text}`);
    if (entry.state === 'acknowledged' && answer !== undefined)
      entry.id = (JSON.parse(answer.text) as { data: { job_id: string } }).data.job_id;
  };

  const work = async (shop: Shop, lane: number) => {
    const productId = shop.registers[lane];
    if (productId === undefined) throw new Error('more lanes than registers');
    const register = (kind: RegisterEntry['kind']): RegisterEntry => {
      const entry = { locationId: shop.locationId, kind, productId, settings: [] };
      ledger.registers.push(entry);
      return entry;
    };
    const [name, stock] = [register('name'), register('stock')];
    while (!stopping) {
      if (jobEvery > 0 && chance.between(1, jobEvery) === 1) await importProducts(shop, lane);
      else if (chance.percent(75)) await order(shop, lane);
      else await set(shop, chance.percent(50) ? name : stock);
      await sleep(paceMs);
    }
  };

  const running = Promise.all(
    shops.flatMap((shop) => Array.from({ length: lanes }, (_, lane) => work(shop, lane))),
  );
  // Awaited in stop(); until then a fault of the load itself must not end the process.
  running.catch(() => {});
  return {
    inFlight: caller.inFlight,
    answered: () => answered,
    async idle() {
      while (underWay > 0) await sleep(5);
    },
    async stop(patienceMs = 60_000) {
      stopping = true;
      const timer = setTimeout(() => {
        giveUp = true;
      }, patienceMs);
      await running;
      clearTimeout(timer);
      caller.close();
    },
  };
}
