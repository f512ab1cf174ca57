import type { Database } from '@comanda/db';
import type { Operation } from '../../packages/api/src/call/operations.ts';
import { exampleInput } from '../../packages/api/src/documents/examples.ts';
import { operations } from '../support/documented.ts';
import {
  createCategory,
  createKey,
  createLocation,
  createPaymentMethod,
  createProduct,
  createSubselection,
} from '../support/factories.ts';
import { type Made, makers } from '../support/makers.ts';
import { prismaOf } from '../support/prisma.ts';
import { resourceOfTable, tableReferredBy } from '../support/referred.ts';
import { use } from '../support/use.ts';
import { trpcEntrance } from './entrances.ts';

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
  subselectionId: string;
  itemId: string;
  paymentMethodId: string;
  /** The resources made by their makers, by name. */
  made: Map<string, Made>;
}

/**
 * Opens a kitchen: always the same one, except for its ids. A sandbox unless said, where every operation can be done;
 * at a location of its own unless said.
 */
export async function openKitchen(
  api: KitchenApi,
  { sandbox = true, at }: { sandbox?: boolean; at?: { locationId: string; key: string } } = {},
): Promise<Kitchen> {
  const { database } = api.app;
  const locationId = at?.locationId ?? (await createLocation(database, { sandbox }));
  const key = at?.key ?? (await createKey(database, { locationId })).key;
  const paymentMethodId = await createPaymentMethod(database, { locationId });
  await prismaOf(database).turn.create({ data: { locationId, batchNumber: 1 } });
  await prismaOf(database).menu.create({
    data: { locationId, name: 'Winter', version: 1, isPublished: true },
  });
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
  const { id: subselectionId, itemIds } = await createSubselection(database, extras);
  const itemId = itemIds[0] ?? '';
  const kitchen: Kitchen = {
    api,
    locationId,
    key,
    category,
    product,
    subselectionId,
    itemId,
    paymentMethodId,
    made: new Map(),
  };
  for (const table of new Set(tableReferredBy.values())) await makePlain(kitchen, resourceOfTable(table));
  return kitchen;
}

/** One for the tests of a file. */
export const useKitchen = (api: KitchenApi): Kitchen => use(() => openKitchen(api));

/**
 * A valid input of the operation in that kitchen: the documented example, its references replaced by what is
 * there. The subject of the operation (`id`, `external_id` of a lookup) is made first.
 */
export async function inputIn(kitchen: Kitchen, operation: Operation): Promise<Record<string, unknown>> {
  const input = withReferences(kitchen, exampleInput(operation)) as Record<string, unknown>;
  if ('id' in operation.input.shape) input.id = (await makeSubject(kitchen, operation)).id;
  if ('from_key' in operation.input.shape) input.from_key = await keyElsewhere(kitchen);
  if (isLookup(operation)) input.external_id = (await makeSubject(kitchen, operation)).externalId;
  return input;
}

/** A key of another location, which has nothing. */
async function keyElsewhere({ api, locationId }: Kitchen): Promise<string> {
  const { database } = api.app;
  const { currency } = await prismaOf(database).location.findUniqueOrThrow({ where: { id: locationId } });
  return (await createKey(database, { locationId: await createLocation(database, { currency }) })).key;
}

/** A valid input of a write that succeeds in that kitchen: what must not be there is taken away first. */
export async function writeIn(kitchen: Kitchen, operation: Operation): Promise<Record<string, unknown>> {
  const { locationId, api } = kitchen;
  const prisma = prismaOf(api.app.database);
  const input = await inputIn(kitchen, operation);
  if (operation.name === 'turns.open')
    await prisma.turn.updateMany({ where: { locationId }, data: { status: 'closed' } });
  // The rows made for it came with a key of its own.
  await prisma.idempotencyKey.deleteMany({ where: { locationId } });
  return input;
}

/** Whether the operation finds its resource by the caller's own identifier. */
export function isLookup({ routes, name }: Operation): boolean {
  return routes.some(({ path }) => path.includes('{external_id}')) || name.endsWith('ByExternalId');
}

/**
 * Makes what the operation is about: as `makers` says, or by the resource's own creation. Throws when there is neither: such a
 * resource needs a row in `makers`.
 */
export async function makeSubject(kitchen: Kitchen, { name }: Operation): Promise<Made> {
  const resource = name.replace(/^v1\./, '').split('.')[0] ?? '';
  const make = makers[name] ?? makers[resource];
  return make === undefined ? makePlain(kitchen, resource) : make(kitchen);
}

/** The resources that their own operation makes, as its example says. */
export const plainResources = (): string[] =>
  operations.flatMap(({ name }) => {
    const [resource = '', verb] = name.split('.');
    return verb === 'create' && !Object.hasOwn(makers, resource) ? [resource] : [];
  });

/** Makes one of a resource by its own operation, in each kitchen once, with `more` in its input. */
export async function makePlain(kitchen: Kitchen, resource: string, more: object = {}): Promise<Made> {
  const known = kitchen.made.get(resource);
  if (known !== undefined) return known;
  const create = operations.find(({ name }) => name === `${resource}.create`);
  if (create === undefined) throw new Error(`tests/contract/kitchen.ts cannot make one of ${resource}`);
  const example = {
    ...exampleInput(create),
    ...('external_id' in create.input.shape && { external_id: `${resource}-made` }),
    ...(create.meta.idempotent && { idempotencyKey: `${resource}-made` }),
    ...more,
  };
  const input = withReferences(kitchen, example) as Record<string, unknown>;
  const { value, message } = await trpcEntrance(create).call(kitchen.api.url, kitchen.key, input);
  if (value === undefined) throw new Error(`${create.name} answered ${message}`);
  const made = { id: (value as Made).id, externalId: String(input.external_id) };
  kitchen.made.set(resource, made);
  return made;
}

/** The value with what names something replaced by what is in the kitchen. */
export function withReferences(kitchen: Kitchen, value: unknown, field = ''): unknown {
  if (field === 'product_id') return kitchen.product.id;
  if (field === 'category_ids') return [kitchen.category.id];
  if (field === 'category_external_ids') return [kitchen.category.externalId];
  if (field === 'subselection_id') return kitchen.subselectionId;
  if (field === 'item_id') return kitchen.itemId;
  if (field === 'payment_method_id') return kitchen.paymentMethodId;
  if (field === 'location_id') return kitchen.locationId;
  const table = tableReferredBy.get(field);
  if (table !== undefined) return kitchen.made.get(resourceOfTable(table))?.id;
  if (Array.isArray(value)) return value.map((entry) => withReferences(kitchen, entry));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withReferences(kitchen, member, name)]),
  );
}
