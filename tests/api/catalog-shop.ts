import type { Database } from '@comanda/db';
import type { Catalog } from '../../packages/api/src/resources/catalog/schema.ts';
import { createCategory, createKey, createProduct } from '../support/factories.ts';
import { prismaOf } from '../support/prisma.ts';

/** A location with a catalog that has something of everything, and a key that may do everything there. */
export interface Shop {
  locationId: string;
  key: string;
}

/** Fills the location: names that need escaping, ties, products in two categories and in none, stock and none. */
export async function createShop(
  { app: { database } }: { app: { database: Database } },
  locationId: string,
): Promise<Shop> {
  const prisma = prismaOf(database);
  const category = (name: string, priority: number, externalId?: string) =>
    createCategory(database, { locationId, name, priority, ...(externalId && { externalId }) });
  const food = await category('Food', 2, 'c-food');
  const drinks = await category('Drinks', -1, 'c-drinks');
  const bar = await category('Bar "Ñandú"\n\\', 2);
  await category('Nothing', 3);
  const categoryIds = [food, bar];
  const stock = { quantity: 5 };
  const burger = await createProduct(database, {
    locationId,
    categoryIds,
    sku: 'burger',
    name: 'Burger',
    stock,
  });
  await createProduct(database, {
    locationId,
    categoryIds: [drinks],
    sku: 'cola',
    name: 'Cola',
    price: 3.1,
    externalId: 'p-cola',
  });
  await createProduct(database, {
    locationId,
    categoryIds: [drinks, bar],
    sku: 'agua',
    name: 'água',
    visible: false,
  });
  await createProduct(database, { locationId, categoryIds: [drinks], sku: 'two', name: 'Cola', price: 0 });
  await createProduct(database, {
    locationId,
    sku: 'alone',
    name: 'Alone',
    stock: { quantity: 1.125, enabled: false },
  });
  const choices = [
    { name: 'Extras', externalId: 's-extras', position: 1, minSelection: 0, maxSelection: 3, single: false },
    { name: 'Size', position: 0, minSelection: 1, maxSelection: 1, single: true },
    { name: 'Empty', position: 2 },
  ];
  for (const choice of choices)
    await prisma.subselection.create({ data: { locationId, productId: burger, ...choice } });
  const [extras, size] = await Promise.all(
    ['Extras', 'Size'].map((name) => prisma.subselection.findFirstOrThrow({ where: { locationId, name } })),
  );
  await prisma.subselectionItem.createMany({
    data: [
      {
        name: 'Bacon',
        price: 2.5,
        max: 2,
        position: 1,
        stockEnabled: true,
        stockQuantity: 2.5,
        externalId: 'i-bacon',
      },
      {
        name: 'Cheese',
        price: 1,
        position: 0,
        visible: false,
        imageUrl: 'https://images.example.com/"c".png',
      },
    ].map((item) => ({ locationId, subselectionId: extras?.id ?? '', ...item })),
  });
  await prisma.subselectionItem.createMany({
    data: ['Small', 'Large'].map((name) => ({ locationId, subselectionId: size?.id ?? '', name })),
  });
  const { key } = await createKey(database, { locationId });
  return { locationId, key };
}

/** The catalog's categories as Prisma finds them, put together in TypeScript. */
export async function plainQuery(
  { app }: { app: { database: Pick<Database, 'pool'> } },
  locationId: string,
): Promise<Catalog['categories']> {
  const found = await prismaOf(app.database).category.findMany({
    where: { locationId },
    orderBy: [{ priority: 'asc' }, { name: 'asc' }, { id: 'asc' }],
    include: {
      products: {
        include: {
          product: {
            include: {
              stock: true,
              subselections: {
                orderBy: [{ position: 'asc' }, { id: 'asc' }],
                include: { items: { orderBy: [{ position: 'asc' }, { id: 'asc' }] } },
              },
            },
          },
        },
      },
    },
  });
  const named = ({ externalId }: { externalId: string | null }) =>
    externalId === null ? {} : { external_id: externalId };
  const text = (value: string) => Buffer.from(value);
  return found.map((category) => ({
    id: category.id,
    name: category.name,
    ...named(category),
    visible: category.visible,
    products: category.products
      .map(({ product }) => product)
      .sort((a, b) => text(a.name).compare(text(b.name)) || text(a.id).compare(text(b.id)))
      .map((product) => ({
        id: product.id,
        ...named(product),
        sku: product.sku,
        name: product.name,
        price: product.price.toNumber(),
        visible: product.visible,
        stock: {
          enabled: product.stock?.enabled ?? false,
          quantity: product.stock?.quantity.toNumber() ?? 0,
        },
        subselections: product.subselections.map((subselection) => ({
          id: subselection.id,
          ...named(subselection),
          name: subselection.name,
          min_selection: subselection.minSelection,
          max_selection: subselection.maxSelection,
          single: subselection.single,
          items: subselection.items.map((item) => ({
            id: item.id,
            ...named(item),
            name: item.name,
            price: item.price.toNumber(),
            min: item.min,
            max: item.max,
            visible: item.visible,
            ...(item.imageUrl !== '' && { image_url: item.imageUrl }),
            stock: { enabled: item.stockEnabled, quantity: item.stockQuantity.toNumber() },
          })),
        })),
      })),
  }));
}
