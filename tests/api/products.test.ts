import { describe, expect, it, test } from 'vitest';
import { Product, ProductPage } from '../../packages/api/src/resources/products/schema.ts';
import { Stock } from '../../packages/api/src/resources/stock/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { parseStrict } from '../support/strict.ts';
import { words } from '../support/words.ts';

const api = useApi();

const families = ['v1', 'v2'] as const;
const least = { name: 'Flat White', description: '', price: 12.5 };
const nowhere = '01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d';

async function create(body: object = least, family = 'v2'): Promise<Product> {
  return dataOf(await api.rest(`POST /${family}/products`, { body }), 201, Product);
}

/** A location of its own, so that a list holds what its test made. */
async function kitchen() {
  const { rest, make } = await api.place();
  const list = async (query: string, family = 'v2') => {
    const answer = await rest(`GET /${family}/products?${query}`);
    expect(answer.status, answer.text).toBe(200);
    return parseStrict(ProductPage, answer.body);
  };
  return { rest, make, list, add: make.product };
}

describe('create', () => {
  test.each(families)('%s answers 201 with Location and fills in what is absent', async (family) => {
    const answer = await api.rest(`POST /${family}/products`, { body: least });
    const product = dataOf(answer, 201, Product);
    expect(answer.headers.get('location')).toBe(`/${family}/products/${product.id}`);
    const stock = { enabled: false, quantity: 0, min_stock_alarm: 0 };
    const rest = { visible: true, image_url: '', stock, categories: [] };
    expect(product).toEqual({ id: product.id, sku: product.id, ...least, ...rest });
  });

  it('keeps every field, exact decimals and characters beyond the basic plane', async () => {
    const first = await api.make.category({ name: 'B', priority: 1 });
    const second = await api.make.category({ name: 'A', priority: 2 });
    const body = {
      external_id: 'a/ü %20 🍵',
      sku: '☕'.repeat(255),
      name: '🍵'.repeat(255),
      description: '𝄞'.repeat(10_000),
      price: 9_999_999_999.99,
      visible: false,
      image_url: 'https://images.example.com/tea.jpg',
      stock: { enabled: true, quantity: 0.001, min_stock_alarm: 1234567.125 },
    };
    const product = await create({ ...body, category_ids: [second, first, second] });
    const categories = [
      { id: first, name: 'B' },
      { id: second, name: 'A' },
    ];
    expect(product).toEqual({ id: product.id, ...body, categories });
    const path = `/v2/products/by-external-id/${encodeURIComponent(body.external_id)}`;
    expect(dataOf(await api.rest(`GET ${path}`), 200, Product)).toEqual(product);
  });

  test.each([
    ['name', { name: undefined }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(256) }],
    ['name', { name: null }],
    ['name', { name: 'a\0b' }],
    ['name', { name: '\ud800' }],
    ['description', { description: undefined }],
    ['description', { description: 'x'.repeat(10_001) }],
    ['price', { price: undefined }],
    ['price', { price: '12.5' }],
    ['price', { price: -1 }],
    ['price', { price: 1.005 }],
    ['price', { price: 10_000_000_000 }],
    ['external_id', { external_id: '' }],
    ['external_id', { external_id: 'a\nb' }],
    ['external_id', { external_id: null }],
    ['sku', { sku: '' }],
    ['visible', { visible: 'true' }],
    ['image_url', { image_url: 'ftp://images.example.com/tea.jpg' }],
    ['category_ids', { category_ids: 'all' }],
    ['category_ids[0]', { category_ids: [nowhere] }],
    ['category_ids[0]', { category_ids: ['no-id'] }],
    ['stock', { stock: null }],
    ['stock.min_stock_alarm', { stock: { enabled: true, quantity: 1 } }],
    ['stock.quantity', { stock: { enabled: true, quantity: 0.0001, min_stock_alarm: 0 } }],
  ])('refuses a bad %s by its name: %j', async (path, change) => {
    const answer = await api.rest('POST /v2/products', { body: { ...least, ...change } });
    expect(refusalOf(answer, 422, 'validation_error')).toContain(`${path}: `);
  });

  it('refuses the category of another location', async () => {
    const category = await (await api.place()).make.category();
    const answer = await api.rest('POST /v2/products', { body: { ...least, category_ids: [category] } });
    expect(refusalOf(answer, 422, 'validation_error')).toContain('category_ids[0]: ');
  });

  test.each(['external_id', 'sku'])('refuses a taken %s with a conflict', async (field) => {
    const value = `taken-${field}`;
    const { id } = await create({ ...least, [field]: value });
    const answer = await api.rest('POST /v1/products', { body: { ...least, [field]: value } });
    const message = refusalOf(answer, 409, 'conflict');
    expect(message).toContain(`${field} ${value}`);
    expect(message).toContain(id);
  });

  it('lets another location have the same external_id and sku', async () => {
    const body = { ...least, external_id: 'shared', sku: 'shared' };
    await create(body);
    const { rest } = await kitchen();
    dataOf(await rest('POST /v2/products', { body }), 201, Product);
  });
});

describe('read', () => {
  test.each(families)('%s returns the product, and 404 for an id that is unknown or none', async (family) => {
    const product = await create({ ...least, stock: { enabled: true, quantity: 3, min_stock_alarm: 1 } });
    expect(dataOf(await api.rest(`GET /${family}/products/${product.id}`), 200, Product)).toEqual(product);
    for (const id of [nowhere, 'no-id', 'ID%2F'])
      refusalOf(await api.rest(`GET /${family}/products/${id}`), 404, 'resource_not_found');
  });

  it('returns the stock, and 404 for a product without a stock record', async () => {
    const stock = { enabled: false, quantity: 2.125, min_stock_alarm: 0.5 };
    const counted = await create({ ...least, stock });
    expect(dataOf(await api.rest(`GET /v1/products/${counted.id}/stock`), 200, Stock)).toEqual(stock);
    const uncounted = await create();
    for (const id of [uncounted.id, nowhere, 'no-id'])
      refusalOf(await api.rest(`GET /v1/products/${id}/stock`), 404, 'resource_not_found');
  });
});

describe('list', () => {
  it('sorts by name in code points, then id, and pages without gap or repeat', async () => {
    const { list, add } = await kitchen();
    for (const name of ['b', 'a', 'B', 'é', '😀', '～', 'a', 'a']) await add({ name });
    const { data: all, pagination } = await list('');
    expect(pagination).toEqual({ limit: 50, offset: 0, total: 8 });
    expect(all.map(({ name }) => name)).toEqual(['B', 'a', 'a', 'a', 'b', 'é', '～', '😀']);
    const ties = all.slice(1, 4).map(({ id }) => id);
    expect(ties).toEqual([...ties].sort());
    const paged: Product[] = [];
    for (let offset = 0; offset < 9; offset += 3) {
      const page = await list(`limit=3&offset=${offset}`);
      expect(page.pagination).toEqual({ limit: 3, offset, total: 8 });
      paged.push(...page.data);
    }
    expect(paged).toEqual(all);
    const past = { limit: 50, offset: 2147483647, total: 8 };
    expect(await list('offset=2147483647')).toEqual({ data: [], pagination: past });
  });

  test.each(families)('%s filters, and combines filters', async (family) => {
    const { make, list, add } = await kitchen();
    const category = await make.category();
    await add({ name: '100% Ärger_x', sku: 'A1', externalId: 'ext-1', categoryIds: [category] });
    await add({ name: '1000 arger\\x', sku: 'a1', visible: false });
    await add({ name: 'Other', sku: 'other', externalId: 'EXT-2', categoryIds: [category], visible: false });
    const names = async (query: string) => (await list(query, family)).data.map(({ name }) => name);
    const [one, two, three] = ['100% Ärger_x', '1000 arger\\x', 'Other'];
    expect(await names('visible=true')).toEqual([one]);
    expect(await names('visible=false')).toEqual([two, three]);
    expect(await names(`category_id=${category}`)).toEqual([one, three]);
    expect(await names(`category_id=${category}&visible=false`)).toEqual([three]);
    expect(await names(`category_id=${nowhere}`)).toEqual([]);
    expect(await names('category_id=no-id')).toEqual([]);
    expect(await names('sku=A1')).toEqual([one]);
    expect(await names('search=a1')).toEqual([one, two]);
    expect(await names('search=ext-')).toEqual([one, three]);
    expect(await names('search=0%25')).toEqual([one]);
    expect(await names('search=r_x')).toEqual([one]);
    expect(await names('search=%5C')).toEqual([two]);
    expect(await names('search=%C3%A4RGER')).toEqual([one]);
    expect((await list('search=nothing', family)).pagination.total).toBe(0);
  });

  it('knows external_id as a filter in v2 alone', async () => {
    const { list, add } = await kitchen();
    await add({ externalId: 'one' });
    await add({ externalId: 'two' });
    expect((await list('external_id=two')).data.map((product) => product.external_id)).toEqual(['two']);
    expect((await list('external_id=two', 'v1')).pagination.total).toBe(2);
  });

  test.each(words('limit=0 limit=201 limit=1.5 limit=x offset=-1 offset=2147483648 visible=yes sku=a&sku=b'))(
    'refuses %s by its name',
    async (query) => {
      const message = refusalOf(await api.rest(`GET /v2/products?${query}`), 422, 'validation_error');
      expect(message).toContain(`${query.split('=')[0]}: `);
    },
  );
});
