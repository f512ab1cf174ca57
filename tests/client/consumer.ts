// The program of an integrator. The tests compile and run it outside of the workspace, with the built package.
import { type ComandaError, type ComandaEvent, comandaError, createClient } from '@comanda/client';
import { verifyWebhook, WebhookVerificationError } from '@comanda/client/webhooks';

/** The values that the integrator has. */
export interface Surroundings {
  url: string;
  key: string;
  paymentMethodId: string;
  delivery: { secret: string; headers: Record<string, string>; body: string };
}

/** A day at the integrator's: what it did and saw. */
export async function work({ url, key, paymentMethodId, delivery }: Surroundings) {
  const client = createClient({ url, key });
  const made = await client.products.create.mutate({ name: 'Flat White', description: '', price: 12.5 });
  const [found, product] = await Promise.all([
    client.products.list.query({ search: 'flat', limit: 5 }),
    client.products.get.query({ id: made.id }),
  ]);
  const order = {
    idempotencyKey: 'order-1',
    external_id: 'PO-1',
    is_take_away: true,
    identifier: 'Table 4',
    payment_method_id: paymentMethodId,
    items: [{ product_id: product.id, quantity: 2 }],
  };
  const placed = await client.orders.create.mutate(order);
  const replayed = await client.orders.create.mutate(order);
  const refusals = [
    await refusalOf(client.products.get.query({ id: 'nothing' })),
    await refusalOf(client.orders.create.mutate({ ...order, identifier: 'Table 5' })),
    await refusalOf(client.orders.create.mutate({ ...order, idempotencyKey: 'order-2', items: [] })),
    await refusalOf(createClient({ url, key: 'cmd_live_wrong' }).locations.getCurrent.query()),
  ];
  return {
    found: found.data.map(({ name, price }) => `${name} ${price.toFixed(2)}`),
    total: found.pagination.total,
    order: { number: placed.number, status: placed.status, total: placed.total },
    isReplayed: replayed.id === placed.id,
    refusals: refusals.map(({ code, httpStatus }) => `${httpStatus} ${code}`),
    reasons: refusals.map(({ reason, fields }) => [reason, ...fields.map(({ path }) => path)].join(' ')),
    isTraceable: refusals.every(({ requestId, message }) => requestId !== '' && message !== ''),
    event: tell(await verifyWebhook(delivery.secret, delivery.headers, delivery.body)),
    forged: await reasonOf(() => verifyWebhook(delivery.secret, delivery.headers, `${delivery.body}x`)),
  };
}

/** The text of an event: the type of `data` follows from `event.type`. */
export function tell(event: ComandaEvent): string {
  switch (event.type) {
    case 'order.status_changed':
      return `order ${event.data.id}: ${event.data.previous_status} → ${event.data.status}`;
    case 'order.created':
      return `order ${event.data.number}: ${event.data.items.length} lines, ${event.data.total.toFixed(2)}`;
    case 'product.updated':
      return `${event.data.name} costs ${event.data.price.toFixed(2)}`;
    default:
      return event.type;
  }
}

async function refusalOf(call: Promise<unknown>): Promise<ComandaError> {
  try {
    await call;
  } catch (error) {
    const refusal = comandaError(error);
    if (refusal === undefined) throw error;
    return refusal;
  }
  throw new Error('was not refused');
}

async function reasonOf(verify: () => Promise<unknown>): Promise<string> {
  try {
    await verify();
    return 'accepted';
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.reason : 'unknown';
  }
}
