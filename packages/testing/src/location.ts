import { type ComandaClient, createClient } from '@comanda/client';
import type { Age, AgedThing, DemoProduct, MadeLocation, PaymentMethodIds, Requests } from './messages.ts';
import { type ReceivedEvents, type ReceiveOptions, receiveEvents } from './received.ts';

/** A restaurant of a test's own. */
export interface TestLocation {
  id: string;
  /** The API key, and its id. */
  key: string;
  keyId: string;
  /** The typed client with that key; `createClient` makes others. */
  client: ComandaClient;
  /** The seeded menu, in its order; `product('DR-01')` is one of them. */
  products: readonly DemoProduct[];
  /** Of the seeded menu by `external_id`. Throws {Error} that names those that there are. */
  product(externalId: string): DemoProduct;
  /** The ids of the ways to pay. */
  paymentMethods: PaymentMethodIds;
  /**
   * Makes something look older: `age('PO-7731', '8 days')` what is kept for that idempotency key, `age(order, '31 days')` a
   * thing by its id: an order, payment, event, sync job, delivery, turn, settlement or entry of the audit.
   *
   * @throws {Error} when this location has nothing of that key or id.
   */
  age(what: string | { id: string }, by: Age): Promise<void>;
  /** Receives the events of this location over HTTP, and verifies the signature of each. */
  receivedEvents(options?: ReceiveOptions): Promise<ReceivedEvents>;
}

/** A location that was made, with what can be done with it. */
export function createTestLocation(
  url: string,
  { id, key, keyId, products, paymentMethods, eventTypes }: MadeLocation,
  makeOlder: (age: Requests['age']['input']) => Promise<unknown>,
): TestLocation {
  const client = createClient({ url, key });
  return {
    id,
    key,
    keyId,
    client,
    products,
    paymentMethods,
    product(externalId) {
      const found = products.find(({ external_id }) => external_id === externalId);
      if (found !== undefined) return found;
      const known = products.map(({ external_id }) => external_id).join(', ') || 'none';
      throw new Error(`the seeded menu has no product ${externalId}; it has ${known}`);
    },
    async age(what, by) {
      const thing: AgedThing = typeof what === 'string' ? { idempotencyKey: what } : { id: what.id };
      await makeOlder({ locationId: id, what: thing, by });
    },
    receivedEvents: (options) => receiveEvents(client, { types: eventTypes, ...options }),
  };
}
