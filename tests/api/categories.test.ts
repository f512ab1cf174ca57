import { describe, expect, it } from 'vitest';
import type { Category } from '../../packages/api/src/resources/categories/schema.ts';
import { refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';

const api = useApi();

type Page = { data: Category[]; pagination: unknown };

let count = 0;
const body = (more: Record<string, unknown> = {}) => ({
  name: `Category ${++count}`,
  priority: 10,
  visible: true,
  ...more,
});

async function create(more: Record<string, unknown> = {}, path = '/v2/categories'): Promise<Category> {
  const answer = await api.rest<{ data: Category }>(`POST ${path}`, { body: body(more) });
  expect(answer.status, answer.text).toBe(201);
  expect(answer.headers.get('location')).toBe(`${path}/${answer.body.data.id}`);
  return answer.body.data;
}

const patch = ({ id }: Category, body: object) => api.rest(`PATCH /v2/categories/${id}`, { body });

describe('create', () => {
  it('returns the category with its defaults, in both families', async () => {
    for (const path of ['/v1/categories', '/v2/categories']) {
      const created = await create({ name: 'Coffee' }, path);
      expect(created).toEqual({ id: created.id, name: 'Coffee', priority: 10, visible: true, image_url: '' });
    }
  });

  it('is refused with a conflict when the external_id is taken', async () => {
    await create({ external_id: 'taken' });
    const answer = await api.rest('POST /v2/categories', { body: body({ external_id: 'taken' }) });
    expect(refusalOf(answer, 409, 'conflict')).toContain('external_id taken');
  });

  it('lets another location take the same external_id', async () => {
    await (await api.place()).make.category({ externalId: 'shared' });
    expect((await create({ external_id: 'shared' })).external_id).toBe('shared');
  });

  it.each([
    ['no name', { name: undefined }, 'name: '],
    ['no priority', { priority: undefined }, 'priority: '],
    ['no visible', { visible: undefined }, 'visible: '],
    ['an empty name', { name: '' }, 'name: '],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'name: '],
    ['a priority that is not whole', { priority: 1.5 }, 'priority: '],
    ['a priority out of range', { priority: 32_768 }, 'priority: '],
    ['a number as text', { priority: '10' }, 'priority: '],
    ['null for visible', { visible: null }, 'visible: '],
    ['a control character in external_id', { external_id: 'a\u0001' }, 'external_id: '],
    ['U+0000 in a name', { name: 'a\u0000b' }, 'name: '],
    ['an image_url of another scheme', { image_url: 'javascript:alert(1)' }, 'image_url: '],
  ])('refuses %s and names the field', async (_what, more, field) => {
    const answer = await api.rest('POST /v2/categories', { body: body(more) });
    expect(refusalOf(answer, 422, 'validation_error')).toContain(field);
  });

  it('counts a name in code points', async () => {
    expect((await create({ name: '🍕'.repeat(255) })).name).toBe('🍕'.repeat(255));
  });
});

describe('read', () => {
  it('finds by an external_id with any character in it', async () => {
    const created = await create({ external_id: 'A/1 é%?#' });
    const answer = await api.rest(`GET /v2/categories/by-external-id/${encodeURIComponent('A/1 é%?#')}`);
    expect(answer.body).toEqual({ data: created });
    expect((await api.rest('GET /v2/categories/by-external-id/nothing')).status).toBe(404);
  });

  it('lists by priority, then name by code point, then id', async () => {
    const { make, rest } = await api.place();
    for (const name of ['b', 'Z', 'a', 'é', 'first', 'a'])
      await make.category({ name, priority: name === 'first' ? 0 : 1 });
    const { body } = await rest<Page>('GET /v2/categories?limit=4&offset=1');
    const { data, pagination } = body;
    expect(data.map(({ name }) => name)).toEqual(['Z', 'a', 'a', 'b']);
    const [, one, two] = data;
    expect((one?.id ?? '') < (two?.id ?? '')).toBe(true);
    expect(pagination).toEqual({ limit: 4, offset: 1, total: 6 });
  });
});

describe('update', () => {
  it('changes only what is present, and null clears', async () => {
    const created = await create({ external_id: 'clear-me', image_url: 'https://images.example.com/a.jpg' });
    const answer = await api.rest<{ data: Category }>(`PATCH /v2/categories/${created.id}`, {
      body: { external_id: null, image_url: null, priority: 3 },
    });
    const { id, name } = created;
    expect(answer.body.data).toEqual({ id, name, priority: 3, visible: true, image_url: '' });
  });

  it('captures nothing when nothing changes', async () => {
    const created = await create();
    const captured = () => api.prisma.capturedChange.count({ where: { resourceIds: { has: created.id } } });
    const before = await captured();
    for (const change of [{}, { name: created.name, priority: created.priority }])
      expect((await patch(created, change)).body).toEqual({ data: created });
    expect(await captured()).toBe(before);
    await patch(created, { name: 'Another' });
    expect(await captured()).toBe(before + 1);
  });

  it('refuses null where it means nothing, and a taken external_id', async () => {
    await create({ external_id: 'theirs' });
    const created = await create();
    for (const change of [{ name: null }, { priority: null }, { visible: null }])
      expect((await patch(created, change)).status).toBe(422);
    expect((await patch(created, { external_id: 'theirs' })).status).toBe(409);
  });
});

it('delete leaves the products, frees the external_id, and is a 404 the second time', async () => {
  const created = await create({ external_id: 'gone' });
  const productId = await api.make.product({ categoryIds: [created.id] });
  const answer = await api.rest(`DELETE /v2/categories/${created.id}`);
  expect(answer.body).toEqual({ data: { id: created.id, deleted: true } });
  expect((await api.rest(`DELETE /v2/categories/${created.id}`)).status).toBe(404);
  const product = await api.rest<{ data: { categories: unknown[] } }>(`GET /v2/products/${productId}`);
  expect(product.body.data.categories).toEqual([]);
  await create({ external_id: 'gone' });
});
