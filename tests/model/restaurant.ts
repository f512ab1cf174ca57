import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCaller } from '../faults/support/caller.ts';
import type { Consumer } from '../faults/support/consumer.ts';
import { json } from '../support/money.ts';
import { taxRates } from './draw.ts';
import { Model } from './model.ts';
import { adoptIds, type CatalogNode, wholeSync } from './offer.ts';
import type { Method } from './orders.ts';

/** An answer. `again`: the call had been sent before, and no answer came. */
export interface Reply {
  status: number;
  text: string;
  replayed: boolean;
  again: boolean;
  etag?: string;
}

/** Calls the service until it answers; a write has an idempotency key, its own unless given. */
export type Ask = (route: string, body?: object, idempotencyKey?: string, ifMatch?: string) => Promise<Reply>;

/** What happened on the way to answers. */
export interface Counts {
  answered: number;
  /** Calls that were answered 503. */
  unavailable: number;
  /** Calls that stayed without an answer because the connection died. */
  unanswered: number;
  /** Calls that had been carried out although no answer came. */
  carriedOut: number;
}

/** A location that sells, with its model, its key and an endpoint that gets every event. */
export interface Restaurant {
  locationId: string;
  key: string;
  model: Model;
  ask: Ask;
  /** `data` of an answer that must be a success. */
  data<Data>(route: string, body?: object): Promise<Data>;
  counts: Counts;
  endpoint: { id: string; secret: string };
  /** Calls that are written whole and not answered yet. */
  inFlight(): number;
  close(): void;
}

/** Where and how a restaurant is opened. */
export interface OpenRestaurant {
  /** The URL to call, asked for before each call; it waits while there is none. */
  target(): Promise<string>;
  locationId: string;
  /** May do everything, without bounds that matter. */
  key: string;
  consumer: Pick<Consumer, 'hookUrl' | 'useSecret'>;
  /** Callers at once; each has products of its own. */
  callers: number;
}

/** Every type of event that the acts of callers cause. */
const eventTypes = [
  'order.created',
  'order.updated',
  'order.status_changed',
  'order.cancelled',
  'order.completed',
  'payment.created',
  'payment.updated',
  'payment.completed',
  'payment.rejected',
  'product.created',
  'product.updated',
  'product.deleted',
  'stock.updated',
  'catalog.updated',
  'sync.completed',
  'turn.open',
  'turn.updated',
  'turn.closed',
  'settlement.created',
];

/** Opens one at a location without a history, with all that it sells. */
export async function openRestaurant(options: OpenRestaurant): Promise<Restaurant> {
  const { target, locationId, key, consumer, callers } = options;
  const caller = createCaller();
  const counts: Counts = { answered: 0, unavailable: 0, unanswered: 0, carriedOut: 0 };
  /** Keys that were asked with, and those that were so more than once: the answer may be that of another call. */
  const [asked, repeated] = [new Set<string>(), new Set<string>()];
  const ask: Ask = async (route, body, idempotencyKey = randomUUID(), ifMatch) => {
    (asked.has(idempotencyKey) ? repeated : asked).add(idempotencyKey);
    for (let again = false; ; await sleep(50)) {
      const url = await target();
      const call = {
        route,
        key,
        // A field at the typed entrance, a header at the other.
        ...(body !== undefined && {
          body: route.startsWith('POST /trpc/') ? { ...body, idempotencyKey } : body,
          idempotencyKey,
        }),
        ...(ifMatch !== undefined && { ifMatch }),
      };
      const outcome = await caller.call(url, call);
      if (outcome.kind === 'answered') {
        const { status, text, replayed, etag } = outcome;
        counts.answered += 1;
        if (status === 500) throw new Error(`${route}: ${text}`);
        if (status < 500 && status !== 429) {
          if (again && replayed && !repeated.has(idempotencyKey)) counts.carriedOut += 1;
          return { status, text, replayed, again, ...(etag !== undefined && { etag }) };
        }
        if (status === 503) counts.unavailable += 1;
      }
      if (outcome.kind === 'unknown') counts.unanswered += 1;
      again ||= outcome.kind === 'unknown';
    }
  };
  const data = async <Data>(route: string, body?: object): Promise<Data> => {
    const { status, text } = await ask(route, body);
    if (status >= 300) throw new Error(`${route}: ${status} ${text}`);
    const parsed = JSON.parse(text);
    return (parsed.data ?? parsed.result.data) as Data;
  };

  const model = new Model(callers);
  const hook = { url: consumer.hookUrl(locationId), events: eventTypes };
  const endpoint = await data<{ id: string; secret: string }>('POST /v2/webhook-endpoints', hook);
  consumer.useSecret(locationId, endpoint.secret);
  // Two of one type: settlements are by type, reports by method.
  for (const [name, type] of [
    ['Cash', 'cash'],
    ['Visa', 'card'],
    ['Amex', 'card'],
    ['QR', 'qr'],
  ] as const) {
    const { id } = await data<Method>('POST /trpc/paymentMethods.create', { name, type });
    model.methods.push({ id, name, type });
  }
  await data('POST /v2/catalog/sync', wholeSync(model.offer));
  adoptIds(model.offer, (await data<{ categories: CatalogNode[] }>('GET /v2/catalog')).categories);
  model.offered();
  for (const [index, product] of model.offer.products.entries()) {
    // Every fourth one has none.
    const taxRate = taxRates[index % 4];
    if (taxRate === undefined) continue;
    await data(`PATCH /v2/products/${product.id}`, { tax_rate: json(taxRate, 4) });
    model.change(product, { taxRate });
  }
  return {
    locationId,
    key,
    model,
    ask,
    data,
    counts,
    endpoint,
    inFlight: caller.inFlight,
    close: caller.close,
  };
}
