import { expect, test } from 'vitest';
import { statement } from '../../packages/db/src/connection/database.ts';
import { useApi } from '../support/api.ts';

const api = useApi();

// Each set of filters is a statement of its own on the same connections; their names are longer than PostgreSQL keeps them.
test('lists of products by every filter at once do not get in the way of each other', async () => {
  const filters = 'visible=true&category_id=x&search=x&sku=x&external_id=x';
  const lists = [filters, `${filters}&include=tax`].flatMap((query) => [
    query,
    `${query}&updated_since=2024-02-29T00:00:00Z`,
  ]);
  for (const query of [...lists, ...lists]) {
    const { status, body } = await api.rest(`GET /v2/products?${query}`);
    expect({ query, status, body }).toMatchObject({ status: 200, body: { data: [] } });
  }
});

test('a statement with a long name keeps a name of its own', () => {
  const long = 'x'.repeat(63);
  const names = [long, `${long}y`, `${long}z`].map((name) => statement(name, '').name);
  expect(names[0]).toBe(long);
  expect(new Set(names).size).toBe(3);
  expect(Math.max(...names.map((name) => name.length))).toBe(63);
});
