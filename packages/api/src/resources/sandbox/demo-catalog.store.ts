import { newId, type Transaction } from '@comanda/db';
import { menu } from './demo-menu.rules.ts';
import { insertDemo } from './statements.ts';

/** The id of what the demo data calls `name`; `ms` is the time that a new one begins with. */
export type IdOf = (name: string, ms?: number) => string;

/** The parts of orders: a product of the demo as it was written. */
export interface WrittenProduct {
  id: string;
  external_id: string;
  name: string;
  price: number;
  /** Undefined where it is not counted. */
  stock: number | undefined;
  choices: { min: number; items: { id: string; name: string; price: number }[] }[];
}

/** Writes the menu: categories, products, choices, stock, and a published menu that shows them all. */
export async function writeCatalog(
  tx: Transaction,
  locationId: string,
  now: Date,
  idOf: IdOf,
): Promise<WrittenProduct[]> {
  const categories = menu.map((category, position) => ({
    ...category,
    id: idOf(category.externalId),
    external_id: category.externalId,
    priority: (position + 1) * 10,
  }));
  const products = categories.flatMap((category) =>
    category.products.map((product) => ({
      ...product,
      id: idOf(product.sku),
      external_id: product.sku,
      category_id: category.id,
    })),
  );
  const choices = products.flatMap(({ id: product_id, sku, choices: list = [] }) =>
    list.map((choice, position) => {
      const external_id = `${sku}-${position + 1}`;
      return { ...choice, id: newId(), product_id, position, external_id };
    }),
  );
  const items = choices.flatMap(({ id: subselection_id, external_id, options }) =>
    options.map(([name, price], position) => {
      const code = `${external_id}-${position + 1}`;
      return { id: idOf(code), subselection_id, external_id: code, name, price, position };
    }),
  );
  const write = (kind: keyof typeof insertDemo, rows: readonly object[]) =>
    tx.run(insertDemo[kind], [locationId, JSON.stringify(rows)]);
  await write('categories', categories);
  await write('products', products);
  await write(
    'links',
    products.map(({ id: product_id, category_id }) => ({ product_id, category_id })),
  );
  await write(
    'stock',
    products.flatMap(({ id: product_id, stock: quantity }) =>
      quantity === undefined ? [] : [{ product_id, quantity, min_stock_alarm: 5 }],
    ),
  );
  await write(
    'subselections',
    choices.map(({ min: min_selection, max: max_selection, ...choice }) => ({
      ...choice,
      min_selection,
      max_selection,
      single: max_selection === 1,
    })),
  );
  await write('items', items);
  const menu_id = newId();
  await write('menus', [{ id: menu_id, name: 'All day', version: 1, is_published: true, published_at: now }]);
  await write(
    'menuCategories',
    categories.map(({ id: category_id }, position) => ({ menu_id, category_id, position })),
  );
  return products.map(({ id, external_id, name, price, stock }) => ({
    id,
    external_id,
    name,
    price,
    stock,
    choices: choices
      .filter(({ product_id }) => product_id === id)
      .map((choice) => ({
        min: choice.min,
        items: items.filter(({ subselection_id }) => subselection_id === choice.id),
      })),
  }));
}
