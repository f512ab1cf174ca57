import { beforeEach, describe, expect, it, test } from 'vitest';
import { Product } from '../../packages/api/src/resources/products/schema.ts';
import { Stock } from '../../packages/api/src/resources/stock/schema.ts';
import { Deleted } from '../../packages/api/src/wire.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';

const api = useApi();
let product: Product;
let categories: string[];

beforeEach(async () => {
  categories = [];
  for (const name of ['A', 'B', 'C']) categories.push(await api.make.category({ name }));
  const unique = `p-${categories[0]}`;
  product = await create({
    external_id: unique,
    sku: unique,
    name: 'Flat White',
    description: 'Double shot.',
    price: 12.5,
    image_url: 'https://images.example.com/flat-white.jpg',
    category_ids: categories.slice(0, 2),
    stock: { enabled: true, quantity: 5, min_stock_alarm: 1 },
  });
  await captured(product.id);
});

async function create(body: object): Promise<Product> {
  return dataOf(await api.rest('POST /v2/products', { body }), 201, Product);
}

const change = (body: object, family = 'v2') => api.rest(`PATCH /${family}/products/${product.id}`, { body });
const patch = async (body: object, family?: string) => dataOf(await change(body, family), 200, Product);

/** The changes of a product that the triggers captured since the last call, each with the columns that differ. */
async function captured(id: string): Promise<string[]> {
  const rows = await api.sql<
    Record<'what', string>
  >`delete from internal.captured_changes where ${id} = any (resource_ids)
    returning concat_ws(' ', resource, operation, nullif(array_to_string(changed, ','), '')) as what`;
  return rows.map(({ what }) => what).sort();
}

describe('PATCH', () => {
  it('changes the fields that are present and no other', async () => {
    const cortado = { name: 'Cortado', price: 9.99 };
    expect(await patch(cortado)).toEqual({ ...product, ...cortado });
    expect(await captured(product.id)).toEqual(['product update name,price']);
    expect(await patch({ visible: false }, 'v1')).toEqual({ ...product, ...cortado, visible: false });
  });

  it('changes nothing and publishes nothing when it is empty or repeats what is there', async () => {
    const { id, categories: linked, ...same } = product;
    const repeated = { ...same, category_ids: linked.map((category) => category.id).reverse() };
    for (const body of [{}, { unknown: 1 }, repeated]) expect(await patch(body)).toEqual(product);
    expect(await captured(id)).toEqual([]);
  });

  it('takes each price of two decimals as it is: 8.2 was answered 500', async () => {
    for (const price of [0.07, 8.2, 8.13, 64.9, 1_234_567.89, 9_999_999_999.99]) {
      const made = await create({ sku: `of ${price}`, name: 'Tea', description: '', price });
      expect(made.price).toBe(price);
      expect((await patch({ price })).price).toBe(price);
    }
  });

  it('clears external_id, description and image_url with null', async () => {
    const { external_id: _, ...rest } = product;
    const cleared = await patch({ external_id: null, description: null, image_url: null });
    expect(cleared).toEqual({ ...rest, description: '', image_url: '' });
  });

  test.each([
    ['sku', { sku: null }],
    ['name', { name: null }],
    ['name', { name: '' }],
    ['price', { price: null }],
    ['price', { price: 0.001 }],
    ['visible', { visible: null }],
    ['category_ids', { category_ids: null }],
    ['stock', { stock: null }],
    ['stock.enabled', { stock: { quantity: 1, min_stock_alarm: 0 } }],
    ['external_id', { external_id: '' }],
    ['image_url', { image_url: 'javascript:alert(1)' }],
  ])('refuses a bad %s by its name and changes nothing: %j', async (path, body) => {
    const answer = await change({ description: 'x', ...body });
    expect(refusalOf(answer, 422, 'validation_error')).toContain(`${path}: `);
    expect(await captured(product.id)).toEqual([]);
  });

  it('sets the categories, writing only the links that differ', async () => {
    const [a, b, c] = categories;
    const named = await patch({ category_ids: [c, b, c] });
    expect(named.categories.map(({ name }) => name)).toEqual(['B', 'C']);
    expect(await captured(product.id)).toEqual(['product_categories delete', 'product_categories insert']);
    expect((await patch({ category_ids: [] })).categories).toEqual([]);
    const answer = await change({ category_ids: [a, product.id, 'x'] });
    const message = refusalOf(answer, 422, 'validation_error');
    expect(message).toContain('category_ids[1]: ');
    expect(message).toContain('category_ids[2]: ');
    expect(message).not.toContain('category_ids[0]');
  });

  it('sets the stock, and makes the record of a product without one', async () => {
    const stock = { enabled: false, quantity: 0.125, min_stock_alarm: 0 };
    expect((await patch({ stock })).stock).toEqual(stock);
    expect(await captured(product.id)).toEqual(['stock update enabled,quantity,min_stock_alarm']);
    const bare = await create({ name: 'Tea', description: '', price: 1 });
    const route = `PATCH /v2/products/${bare.id}`;
    expect(dataOf(await api.rest(route, { body: { stock } }), 200, Product).stock).toEqual(stock);
    expect(dataOf(await api.rest(`GET /v1/products/${bare.id}/stock`), 200, Stock)).toEqual(stock);
  });

  test.each(['external_id', 'sku'] as const)('refuses a taken %s with a conflict', async (field) => {
    const other = await create({ name: 'Tea', description: '', price: 1, [field]: `patch-${field}` });
    const message = refusalOf(await change({ name: 'Lost', [field]: other[field] }, 'v1'), 409, 'conflict');
    expect(message).toContain(`${field} ${other[field]}`);
    expect(message).toContain(other.id);
    expect(await captured(product.id)).toEqual([]);
  });

  it('serializes changes of one product: the last one is kept whole', async () => {
    const choices = [categories.slice(0, 1), categories.slice(1), []];
    const changes = Array.from({ length: 12 }, (_, n) => patch({ category_ids: choices[n % 3], price: n }));
    await Promise.all(changes);
    const last = dataOf(await api.rest(`GET /v2/products/${product.id}`), 200, Product);
    expect(last.categories.map(({ id }) => id)).toEqual(choices[last.price % 3]);
  });
});

describe('DELETE', () => {
  test.each(['v1', 'v2'])('%s answers what is gone, then 404', async (family) => {
    const route = `DELETE /${family}/products/${product.id}`;
    expect(dataOf(await api.rest(route), 200, Deleted)).toEqual({ id: product.id, deleted: true });
    refusalOf(await api.rest(route), 404, 'resource_not_found');
    refusalOf(await api.rest(`GET /v2/products/${product.id}`), 404, 'resource_not_found');
  });

  it('frees the external_id and the sku, and keeps the last state for its events', async () => {
    await api.rest(`DELETE /v2/products/${product.id}`);
    const rows = await api.sql`select before from internal.captured_changes
      where resource = 'product' and resource_ids = array[${product.id}::uuid]`;
    expect(rows).toEqual([{ before: [product] }]);
    const { external_id, sku } = product;
    expect((await create({ name: 'New', description: '', price: 1, external_id, sku })).sku).toBe(sku);
  });
});
