import { newId, type PrismaTransaction } from '@comanda/db';
import { menu } from './menu.ts';

/** What orders are made of: the products as they were seeded. */
export interface SeededProduct {
  id: string;
  name: string;
  price: number;
  choices: { min: number; items: { id: string; name: string; price: number }[] }[];
}

/** Writes the menu: categories, products, choices, stock, and a published menu that shows them all. */
export async function seedCatalog(tx: PrismaTransaction, locationId: string): Promise<SeededProduct[]> {
  const categories = menu.map((category, position) => ({
    ...category,
    id: newId(),
    priority: (position + 1) * 10,
  }));
  const products = categories.flatMap((category) =>
    category.products.map((product) => ({ ...product, id: newId(), categoryId: category.id })),
  );
  const choices = products.flatMap(({ id: productId, sku, choices: list = [] }) =>
    list.map((choice, position) => ({
      ...choice,
      id: newId(),
      productId,
      position,
      code: `${sku}-${position + 1}`,
    })),
  );
  const items = choices.flatMap(({ id: subselectionId, code, options }) =>
    options.map(([name, price], position) => {
      return { id: newId(), subselectionId, externalId: `${code}-${position + 1}`, name, price, position };
    }),
  );
  const of = <Row extends object>(rows: Row[]) => ({ data: rows.map((row) => ({ locationId, ...row })) });
  await tx.category.createMany(
    of(categories.map(({ id, externalId, name, priority }) => ({ id, externalId, name, priority }))),
  );
  await tx.product.createMany(
    of(
      products.map(({ id, sku, name, description, price }) => ({
        id,
        sku,
        externalId: sku,
        name,
        description,
        price,
      })),
    ),
  );
  await tx.productCategory.createMany(
    of(products.map(({ id, categoryId }) => ({ productId: id, categoryId }))),
  );
  await tx.productStock.createMany(
    of(
      products.flatMap(({ id, stock }) =>
        stock === undefined ? [] : [{ productId: id, quantity: stock, minStockAlarm: 5 }],
      ),
    ),
  );
  await tx.subselection.createMany(
    of(
      choices.map(({ id, productId, code, name, min, max, position }) => {
        return {
          id,
          productId,
          externalId: code,
          name,
          minSelection: min,
          maxSelection: max,
          single: max === 1,
          position,
        };
      }),
    ),
  );
  await tx.subselectionItem.createMany(of(items));
  const menuId = newId();
  const publishedAt = new Date();
  await tx.menu.create({
    data: { locationId, id: menuId, name: 'All day', version: 1, isPublished: true, publishedAt },
  });
  await tx.menuCategory.createMany(
    of(categories.map(({ id }, position) => ({ menuId, categoryId: id, position }))),
  );
  return products.map(({ id, name, price }) => ({
    id,
    name,
    price,
    choices: choices
      .filter(({ productId }) => productId === id)
      .map((choice) => ({
        min: choice.min,
        items: items.filter(({ subselectionId }) => subselectionId === choice.id),
      })),
  }));
}
