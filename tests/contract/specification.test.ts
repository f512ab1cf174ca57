import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiTables } from '../../packages/api/src/documents/tables.ts';
import { comingNext, type SpecifiedOperation, specification } from '../../packages/api/src/specification.ts';
import { callRest, startTestApi, type TestApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';

const served = new Map(
  operations.flatMap((operation) =>
    operation.routes.map((route) => [`${route.method} ${route.path}`, operation]),
  ),
);
const due = specification.filter(({ route }) => !comingNext.includes(route));

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

test('every documented operation stands in the table once', () => {
  const routes = specification.map(({ route }) => route);
  expect(routes).toHaveLength(new Set(routes).size);
});

test('what comes next is documented, and named once', () => {
  const routes = specification.map(({ route }) => route);
  expect(comingNext.filter((route) => !routes.includes(route))).toEqual([]);
  expect(comingNext).toHaveLength(new Set(comingNext).size);
});

test('what comes next is not served yet: a served row leaves the list', () => {
  expect(comingNext.filter((route) => served.has(route))).toEqual([]);
});

test('every served path is documented', () => {
  const routes = specification.map(({ route }) => String(route));
  expect([...served.keys()].filter((route) => !routes.includes(route))).toEqual([]);
});

describe('a documented operation is served as the table says', () => {
  test.each(due)('$route', async ({ route, ...promised }) => {
    expect(served.has(route), `${route} is not served`).toBe(true);
    expect(factsOf(route)).toEqual(promised);
    const path = route.replace(/\{\w+\}/, 'some-id');
    const { status, body } = await callRest<{ error: { code: string } }>(api.url, path);
    expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'unauthorized' });
  });
});

test('docs/api.md is what npm run docs makes', () => {
  const committed = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
  expect(committed).toBe(apiTables());
});

function factsOf(route: string): Omit<SpecifiedOperation, 'route'> | undefined {
  const meta = served.get(route)?.meta;
  if (meta === undefined) return undefined;
  const {
    permission,
    status = 200,
    list = false,
    idempotent = false,
    batch = false,
    changes = false,
    errors = [],
  } = meta;
  const codes = (['resource_not_found', 'conflict'] as const).filter((code) => errors.includes(code));
  return { permission, status, list, idempotent, batch, changes, errors: codes };
}
