// @ts-nocheck
// The program of an integrator with @hey-api/openapi-ts. The tests compile and run it next to the generated `client`.
import { createClient } from './client/client/index.js';
import { eventsList, ordersCreate, productsCreate, productsGet, productsList } from './client/index.js';

/** The values that the integrator has. */
export interface Surroundings {
  url: string;
  key: string;
  paymentMethodId: string;
}

/** Makes, lists, reads and orders a product: what it saw. */
export async function work({ url, key, paymentMethodId }: Surroundings) {
  const client = createClient({ baseUrl: url, auth: key });
  const body = { name: 'Flat White', description: 'Double shot.', price: 12.5, external_id: 'A/1 é%' };
  const made = await productsCreate({ client, body, throwOnError: true });
  const listed = await productsList({
    client,
    query: { external_id: body.external_id, visible: true },
    throwOnError: true,
  });
  const { id } = made.data.data;
  const read = await productsGet({ client, path: { id }, throwOnError: true });
  const placed = await ordersCreate({
    client,
    headers: { 'Idempotency-Key': 'order-1' },
    body: {
      external_id: 'PO-1',
      is_take_away: false,
      identifier: 'Table 4',
      payment_method_id: paymentMethodId,
      items: [{ product_id: id, quantity: 2 }],
    },
    throwOnError: true,
  });
  const feed = await eventsList({ client, query: { types: ['order.created', 'order.completed'] } });
  const { error, response } = await productsGet({ client, path: { id: 'nothing' } });
  return {
    status: made.response.status,
    listed: listed.data.data.map(({ name, price }) => `${name} ${price.toFixed(2)}`),
    total: listed.data.pagination.total,
    isSame: JSON.stringify(read.data) === JSON.stringify(made.data),
    feed: feed.response?.status,
    order: placed.data.data.total,
    refusal: `${response?.status} ${error?.error.code}`,
  };
}
