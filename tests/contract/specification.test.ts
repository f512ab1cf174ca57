import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { specification } from '../../packages/api/src/specification.ts';
import { apiTables, promisesOf } from '../../scripts/docs/api-tables.ts';
import { callRest, useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';

const served = new Map(operations.flatMap(promisesOf).map((promise) => [promise.route, promise]));

const api = useApi();

test('every documented operation is in the table once', () => {
  const routes = specification.map(({ route }) => route);
  expect(routes).toHaveLength(new Set(routes).size);
});

test.each(specification)(
  'a documented operation is served as the table says $route',
  async ({ route, ...promised }) => {
    expect(served.has(route), `${route} is not served`).toBe(true);
    expect(served.get(route)).toEqual({ route, ...promised });
    const path = route.replace(/\{\w+\}/, 'some-id');
    const { status, body } = await callRest<{ error: { code: string } }>(api.url, path);
    expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'unauthorized' });
  },
);

test('docs/api.md is what npm run docs makes', () => {
  const committed = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
  expect(committed).toBe(apiTables(operations));
});
