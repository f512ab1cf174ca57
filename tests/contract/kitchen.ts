import type { Database } from '@comanda/db';
import { exampleInput } from '../../packages/api/src/documents/examples.ts';
import type { Operation } from '../../packages/api/src/operations.ts';
import { callRest } from '../support/api.ts';
import {
  createCategory,
  createKey,
  createLocation,
  createPaymentMethod,
  createProduct,
  createSubselection,
} from '../support/factories.ts';

/** A server, and its database. */
export interface KitchenApi {
  url: string;
  app: { database: Database };
}

/** A location with something in it to order, and a key that may do everything there. */
export interface Kitchen {
  api: KitchenApi;
  locationId: string;
  key: string;
  category: Made;
  product: Made;
  itemId: string;
  paymentMethodId: string;
}

/** A resource that was made, as its lookups name it. */
export interface Made {
  id: string;
  externalId?: string;
}

/** Opens a kitchen: always the same one, but for its ids. */
export async function openKitchen(api: KitchenApi): Promise<Kitchen> {
  const { database } = api.app;
  const locationId = await createLocation(database);
  const { key } = await createKey(database, { locationId });
  const paymentMethodId = await createPaymentMethod(database, { locationId });
  await database.prisma.turn.create({ data: { locationId, batchNumber: 1 } });
  await database.prisma.menu.create({ data: { locationId, name: 'Winter', version: 1, isPublished: true } });
  const category = { externalId: 'category-made', id: '' };
  category.id = await createCategory(database, { locationId, externalId: category.externalId });
  const product = { externalId: 'product-made', id: '' };
  product.id = await createProduct(database, {
    locationId,
    externalId: product.externalId,
    sku: 'sku-made',
    categoryIds: [category.id],
    stock: { enabled: true, quantity: 100 },
  });
  const extras = { locationId, productId: product.id, items: [{ price: 2 }] };
  const { itemIds } = await createSubselection(database, extras);
  return { api, locationId, key, category, product, itemId: itemIds[0] ?? '', paymentMethodId };
}

/**
 * A valid input of the operation in that kitchen: the documented example, its references replaced by what is
 * there. What the operation is about (`id`, `external_id` of a lookup) is made first.
 */
export async function inputIn(kitchen: Kitchen, operation: Operation): Promise<Record<string, unknown>> {
  const input = withReferences(kitchen, exampleInput(operation)) as Record<string, unknown>;
  if ('id' in operation.input.shape) input.id = (await makeSubject(kitchen, operation)).id;
  if (isLookup(operation)) input.external_id = (await makeSubject(kitchen, operation)).externalId;
  return input;
}

/** A valid input of a write that succeeds in that kitchen: what must not be there is taken away first. */
export async function writeIn(kitchen: Kitchen, operation: Operation): Promise<Record<string, unknown>> {
  const { locationId, api } = kitchen;
  const { prisma } = api.app.database;
  const input = await inputIn(kitchen, operation);
  if (operation.name === 'turns.open')
    await prisma.turn.updateMany({ where: { locationId }, data: { status: 'closed' } });
  // What was made for it came with a key of its own.
  await prisma.idempotencyKey.deleteMany({ where: { locationId } });
  return input;
}

/** Whether the operation finds its resource by the caller's own identifier. */
export function isLookup({ routes, name }: Operation): boolean {
  return routes.some(({ path }) => path.includes('{external_id}')) || name.endsWith('ByExternalId');
}

/** Makes what the operation is about. Throws when it is not known how: a new resource needs a row in `makers`. */
export async function makeSubject(kitchen: Kitchen, { name }: Operation): Promise<Made> {
  const resource = name.replace(/^v1\./, '').split('.')[0] ?? '';
  const make = makers[resource];
  if (make === undefined) throw new Error(`${name}: tests/contract/kitchen.ts cannot make its subject`);
  return make(kitchen);
}

/** Makes one of the resource beside what the kitchen holds. */
const makers: Record<string, (kitchen: Kitchen) => Made | Promise<Made>> = {
  categories: ({ category }) => category,
  products: ({ product }) => product,
  orders: async (kitchen) => {
    const { id } = await created(kitchen, 'POST /v2/orders', {
      external_id: 'order-made',
      is_take_away: false,
      identifier: 'Table 1',
      items: [{ product_id: kitchen.product.id, quantity: 1 }],
      payment_method_id: kitchen.paymentMethodId,
    });
    return { id: String(id), externalId: 'order-made' };
  },
  payments: async (kitchen) => {
    const orderId = (await makers.orders?.(kitchen))?.id ?? '';
    const { prisma } = kitchen.api.app.database;
    return prisma.payment.findFirstOrThrow({ where: { locationId: kitchen.locationId, orderId } });
  },
  paymentMethods: ({ paymentMethodId }) => ({ id: paymentMethodId }),
  keys: ({ api, locationId }) => createKey(api.app.database, { locationId, permissions: ['orders:read'] }),
  locations: ({ locationId }) => ({ id: locationId }),
  turns: ({ api, locationId }) => api.app.database.prisma.turn.findFirstOrThrow({ where: { locationId } }),
  settlements: async ({ api, locationId }) => {
    const { prisma } = api.app.database;
    await prisma.turn.updateMany({ where: { locationId, status: 'open' }, data: { status: 'closed' } });
    return prisma.settlement.findFirstOrThrow({ where: { locationId } });
  },
  menus: ({ api, locationId }) => api.app.database.prisma.menu.findFirstOrThrow({ where: { locationId } }),
  syncJobs: async (kitchen) => {
    const items = [{ external_id: 'synced', name: 'Cortado', price: 9.5 }];
    const { job_id } = await created(kitchen, 'POST /v2/sync/products', { items });
    return { id: String(job_id) };
  },
  webhookEndpoints: async (kitchen) => {
    const url = 'http://127.0.0.1:9/hook';
    const { id } = await created(kitchen, 'POST /v2/webhook-endpoints', { url, events: ['order.created'] });
    return { id: String(id) };
  },
};

async function created({ api, key }: Kitchen, route: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'idempotency-key': 'made-by-the-kitchen' };
  const answer = await callRest<{ data: Record<string, unknown> }>(api.url, route, { key, body, headers });
  if (answer.status >= 300) throw new Error(`${route} answered ${answer.status}: ${answer.text}`);
  return answer.body.data;
}

function withReferences(kitchen: Kitchen, value: unknown, field = ''): unknown {
  if (field === 'product_id') return kitchen.product.id;
  if (field === 'category_ids') return [kitchen.category.id];
  if (field === 'category_external_ids') return [kitchen.category.externalId];
  if (field === 'item_id') return kitchen.itemId;
  if (field === 'payment_method_id') return kitchen.paymentMethodId;
  if (field === 'location_id') return kitchen.locationId;
  if (Array.isArray(value)) return value.map((entry) => withReferences(kitchen, entry));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withReferences(kitchen, member, name)]),
  );
}
