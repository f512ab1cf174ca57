import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Grant, newApiKey } from '@comanda/api/services';
import { type Database, newId } from '@comanda/db';
import { prismaOf } from './prisma.ts';

/** A key as a test holds it. */
export interface TestKey {
  id: string;
  key: string;
}

/** Makes a location; returns its id. */
export async function createLocation(
  database: Database,
  overrides: { name?: string; timezone?: string; currency?: string; sandbox?: boolean } = {},
): Promise<string> {
  const { id } = await prismaOf(database).location.create({
    data: { name: 'Test Kitchen', timezone: 'UTC', ...overrides },
  });
  return id;
}

/** Makes a key that may do everything, unless said; of a sandbox a test key. */
export async function createKey(
  database: Database,
  overrides: {
    locationId: string;
    name?: string;
    permissions?: Grant[];
    allEventTypes?: boolean;
    perMinute?: number;
    monthly?: number;
    batchJobsPerHour?: number;
    maxItemsPerBatch?: number;
    expiresAt?: Date;
    revokedAt?: Date;
  },
): Promise<TestKey> {
  const at = await prismaOf(database).location.findUniqueOrThrow({ where: { id: overrides.locationId } });
  const { key, hash, prefix } = newApiKey(at);
  const { id } = await prismaOf(database).apiKey.create({
    data: {
      name: 'test',
      prefix,
      keyHash: new Uint8Array(hash),
      permissions: ['*'],
      perMinute: 100_000,
      ...overrides,
    },
  });
  return { id, key };
}

/** A well-formed key that no database has, of a location that none has either. */
export const unknownKey = (at: { code?: string; sandbox?: boolean } = {}) =>
  newApiKey({ code: '00000000', ...at });

/** Makes a key as they were made before locations had codes; its text. */
export async function keyWithoutCode(database: Database, locationId: string): Promise<string> {
  const secret = randomBytes(17).toString('hex').slice(1);
  let [sum, rest] = ['', crc32(secret)];
  for (; sum.length < 6; rest = Math.floor(rest / 62)) sum = base62.charAt(rest % 62) + sum;
  const key = `cmd_live_${secret}${sum}`;
  const keyHash = new Uint8Array(createHash('sha256').update(key).digest());
  await prismaOf(database).apiKey.create({
    data: {
      locationId,
      name: 'old',
      prefix: key.slice(0, 13),
      keyHash,
      permissions: ['*'],
      perMinute: 100_000,
    },
  });
  return key;
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Makes an enabled way to pay; returns its id. */
export async function createPaymentMethod(
  database: Database,
  overrides: { locationId: string; name?: string; type?: 'cash' | 'card' | 'qr'; enabled?: boolean },
): Promise<string> {
  const { id } = await prismaOf(database).paymentMethod.create({
    data: { name: 'Cash', type: 'cash', ...overrides },
  });
  return id;
}

/** Makes a category; returns its id. */
export async function createCategory(
  database: Database,
  overrides: { locationId: string; externalId?: string; name?: string; priority?: number },
): Promise<string> {
  const { id } = await prismaOf(database).category.create({ data: { name: 'Coffee', ...overrides } });
  return id;
}

/** Makes a product, with a stock record when `stock` is given; returns its id. */
export async function createProduct(
  database: Database,
  {
    stock,
    categoryIds = [],
    ...overrides
  }: {
    locationId: string;
    externalId?: string;
    sku?: string;
    name?: string;
    price?: number;
    taxRate?: number;
    visible?: boolean;
    description?: string;
    stock?: { enabled?: boolean; quantity: number; minStockAlarm?: number };
    categoryIds?: string[];
  },
): Promise<string> {
  const id = newId();
  await prismaOf(database).product.create({
    data: {
      id,
      sku: `sku-${id}`,
      name: 'Flat White',
      price: 12.5,
      ...overrides,
      ...(stock && { stock: { create: stock } }),
      ...(categoryIds.length > 0 && {
        categories: {
          create: categoryIds.map((categoryId) => ({
            category: { connect: { locationId_id: { locationId: overrides.locationId, id: categoryId } } },
          })),
        },
      }),
    },
  });
  return id;
}

/** Makes a subselection of a product with its items; returns their ids. */
export async function createSubselection(
  database: Database,
  {
    items,
    ...overrides
  }: {
    locationId: string;
    productId: string;
    name?: string;
    minSelection?: number;
    maxSelection?: number;
    single?: boolean;
    items: {
      externalId?: string;
      name?: string;
      price?: number;
      min?: number;
      max?: number;
      stockEnabled?: boolean;
      stockQuantity?: number;
    }[];
  },
): Promise<{ id: string; itemIds: string[] }> {
  const id = newId();
  await prismaOf(database).subselection.create({ data: { id, name: 'Extras', ...overrides } });
  const itemIds: string[] = [];
  for (const [position, item] of items.entries()) {
    const itemId = newId();
    itemIds.push(itemId);
    await prismaOf(database).subselectionItem.create({
      data: {
        id: itemId,
        locationId: overrides.locationId,
        subselectionId: id,
        name: `Item ${position}`,
        position,
        ...item,
      },
    });
  }
  return { id, itemIds };
}
