import { type Call, createCaller } from './caller.ts';
import type { Ledger } from './ledger.ts';

/** A location under load: what can be ordered there, and values that are set again and again. */
export interface Shop {
  locationId: string;
  key: string;
  paymentMethodId: string;
  /** The ordered items. Those with a stock start with so many. */
  products: { id: string; cents: number; stock?: number }[];
  /** Products of which a single writer each sets name and stock. */
  registers: string[];
  /** The endpoint that gets every event, when there is a consumer. */
  endpoint?: { id: string; secret: string };
}

/** How much there is of what is ordered: enough, a little, and uncounted. */
const stocks = [1_000_000, 1_000_000, 40, undefined] as const;

/** Every event type that can be subscribed to and that this load makes. */
const eventTypes = [
  ...['order.created', 'order.updated', 'order.status_changed', 'order.cancelled', 'order.completed'],
  ...['payment.created', 'payment.updated', 'payment.completed', 'payment.rejected'],
  ...['product.created', 'product.updated', 'product.deleted', 'stock.updated', 'catalog.updated'],
  ...['sync.completed', 'sync.failed'],
];

/**
 * Opens a shop over REST, in a location without a history that has a payment method; the key may do everything.
 * `hookUrl` is registered first, so that it hears everything. `registers`: how many writers there will be.
 */
export async function openShop(
  baseUrl: string,
  key: string,
  ledger: Ledger,
  { registers, hookUrl }: { registers: number; hookUrl?: string },
): Promise<Shop> {
  const caller = createCaller();
  const must = async <Data>(route: string, body?: unknown): Promise<Data> => {
    const call: Call = { route, key, ...(body !== undefined && { body }) };
    const outcome = await caller.call(baseUrl, call);
    if (outcome.kind !== 'answered' || outcome.status >= 300)
      throw new Error(`${route}: ${JSON.stringify(outcome)}`);
    return (JSON.parse(outcome.text) as { data: Data }).data;
  };
  try {
    const { id: locationId } = await must<{ id: string }>('GET /v2/locations/current');
    const [method] = await must<{ id: string }[]>('GET /v2/payment-methods');
    if (method === undefined) throw new Error('the location has no payment method');
    const endpoint =
      hookUrl === undefined
        ? undefined
        : await must<{ id: string; secret: string }>('POST /v2/webhook-endpoints', {
            url: hookUrl,
            events: eventTypes,
          });
    const { id: categoryId } = await must<{ id: string }>('POST /v2/categories', {
      name: 'Dishes',
      priority: 1,
      visible: true,
    });
    const make = async (name: string, cents: number, quantity: number | undefined) => {
      const { id } = await must<{ id: string }>('POST /v2/products', {
        name,
        description: '',
        price: cents / 100,
        category_ids: [categoryId],
        ...(quantity !== undefined && { stock: { enabled: true, quantity, min_stock_alarm: 0 } }),
      });
      ledger.products.set(locationId, (ledger.products.get(locationId) ?? 0) + 1);
      return { id, cents, ...(quantity !== undefined && { stock: quantity }) };
    };
    const products: Shop['products'] = [];
    for (const [index, stock] of stocks.entries())
      products.push(await make(`Dish ${index}`, 250 + 175 * index, stock));
    const written: string[] = [];
    for (let index = 0; index < registers; index++) written.push((await make('Register 0', 100, 0)).id);
    return {
      ...{ locationId, key, paymentMethodId: method.id, products, registers: written },
      ...(endpoint !== undefined && { endpoint: { id: endpoint.id, secret: endpoint.secret } }),
    };
  } finally {
    caller.close();
  }
}
