import { randomUUID } from 'node:crypto';
import { sessionNamed } from '@comanda/db';
import pg from 'pg';
import type { MenuCategory } from '../menu.ts';

/** The contents of the reference: its location and the ids of its products, in the order of the menu. */
export interface ReferenceShop {
  location: string;
  productIds: string[];
}

/** Writes a menu into the reference's database, as a location of its own. */
export async function fillReference(url: string, menu: readonly MenuCategory[]): Promise<ReferenceShop> {
  const client = new pg.Client(sessionNamed(url, 'comanda-bench'));
  await client.connect();
  const location = randomUUID();
  const insert = (table: string, rows: readonly Record<string, unknown>[]) =>
    client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`, [
      JSON.stringify(rows.map((row) => ({ location_id: location, ...row }))),
    ]);
  const categories = menu.map((category) => ({ ...category, id: randomUUID() }));
  const products = categories.flatMap((category) =>
    category.products.map((product) => ({
      ...product,
      id: randomUUID(),
      category_id: category.id,
      visible: true,
      image_url: '',
    })),
  );
  const choices = products.flatMap(({ id, subselections = [] }) =>
    subselections.map((choice) => ({ ...choice, product_id: id, id: randomUUID() })),
  );
  const items = choices.flatMap(({ id, items: list }) =>
    list.map((item, position) => ({ ...item, position, subselection_id: id, id: randomUUID() })),
  );
  try {
    await client.query('insert into location (id, products) values ($1, $2)', [location, products.length]);
    await insert('category', categories);
    await insert('product', products);
    await insert(
      'product_category',
      products.map(({ id, category_id }) => ({ product_id: id, category_id })),
    );
    await insert(
      'product_stock',
      products.map(({ id, stock }) => ({ product_id: id, ...stock, min_stock_alarm: 0 })),
    );
    await insert('subselection', choices);
    await insert('subselection_item', items);
    await client.query('analyze');
  } finally {
    await client.end();
  }
  return { location, productIds: products.map(({ id }) => id) };
}
