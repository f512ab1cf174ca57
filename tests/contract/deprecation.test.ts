import { readFileSync } from 'node:fs';
import { operationsOf } from '@comanda/api';
import { appRouter } from '@comanda/api/router';
import { beforeAll, describe, expect, test } from 'vitest';
import { deprecatedRoutes } from '../../packages/api/src/call/deprecation.ts';
import { type Deprecations, deprecations as today } from '../../packages/api/src/deprecations.ts';
import { openApiDocument } from '../../packages/api/src/documents/openapi.ts';
import { documentedOf } from '../../packages/api/src/documents/site/documented.ts';
import { operationPage } from '../../packages/api/src/documents/site/operation-page.ts';
import { callRest, useApi } from '../support/api.ts';

const deprecations: Deprecations = {
  v1: { announced: '2027-03-01', sunset: '2029-03-01', guide: '/docs/guides/v1-to-v2' },
  'GET /v1/products': { announced: '2026-12-01', guide: '/docs/guides/first-sync' },
  'GET /v2/stock': { announced: '2027-01-02', guide: '/docs/guides/paging' },
};
const api = useApi(() => ({ deprecations }));
const seconds = (day: string) => `@${Date.parse(`${day}T00:00:00Z`) / 1_000}`;
const link = (guide: string) => `</docs/guides/${guide}>; rel="deprecation"; type="text/html"`;

describe('what is deprecated says so in every answer:', () => {
  test.each([
    ['a list', 'GET /v1/orders', {}, 200],
    ['a refusal of the key', 'GET /v1/orders', { key: 'no-key' }, 401],
    ['a refusal of a body', 'POST /v1/orders', { body: {}, headers: { 'idempotency-key': 'x' } }, 422],
    ['what is not there', 'GET /v1/orders/x', {}, 404],
  ])('%s, with the day, the end and where to read on', async (_, route, call, status) => {
    const answer = await api.rest(route, call);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('deprecation')).toBe(seconds('2027-03-01'));
    expect(answer.headers.get('sunset')).toBe('Thu, 01 Mar 2029 00:00:00 GMT');
    expect(answer.headers.get('link')?.split(', ')[0]).toBe(link('v1-to-v2'));
  });

  test('an operation with a day of its own, which ends with its family', async () => {
    const { headers } = await api.rest('GET /v1/products');
    expect(headers.get('deprecation')).toBe(seconds('2026-12-01'));
    expect(headers.get('sunset')).toBe('Thu, 01 Mar 2029 00:00:00 GMT');
    expect(headers.get('link')).toBe(link('first-sync'));
  });

  test('an operation of a family that stays has no end, and keeps its other links', async () => {
    const { headers } = await api.rest('GET /v2/stock?updated_since=2026-01-01T00:00:00Z');
    expect(headers.get('deprecation')).toBe(seconds('2027-01-02'));
    expect(headers.get('sunset')).toBeNull();
    expect(headers.get('link')).toMatch(
      /^<\/docs\/guides\/paging>; rel="deprecation".*, <\/v2\/stock\?.*>; rel="next"$/,
    );
  });

  test('and what is not says nothing', async () => {
    const { headers } = await api.rest('GET /v2/orders');
    for (const name of ['deprecation', 'sunset', 'link']) expect(headers.get(name)).toBeNull();
  });
});

describe('the documents', () => {
  const shown = new Map<string, ReturnType<typeof documentedOf>[number]>();
  beforeAll(async () => {
    for (const version of ['v1', 'v2'] as const) {
      const { body } = await callRest<Parameters<typeof documentedOf>[1]>(
        api.url,
        `GET /openapi-${version}.json`,
      );
      for (const each of documentedOf(version, body)) shown.set(`${each.method} ${each.path}`, each);
    }
  });

  test('mark what is deprecated, and nothing else', () => {
    const marked = [...shown].filter(([, { operation }]) => operation.deprecated).map(([name]) => name);
    const wanted = [...shown.keys()].filter((name) => name.includes(' /v1/') || name === 'GET /v2/stock');
    expect(marked).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(15);
  });

  test('name the headers, and say on its page until when it is served and where to read on', () => {
    const page = (name: string) => {
      const found = shown.get(name);
      return found === undefined ? '' : operationPage(found, new Set());
    };
    expect(page('GET /v1/orders')).toContain(
      '**Deprecated** since 2027-03-01. It is served until 2029-03-01 for certain. How to move: `/docs/guides/v1-to-v2`.',
    );
    expect(page('GET /v1/orders')).toContain('`Link`, `Deprecation`, `Sunset`');
    expect(page('GET /v2/stock')).toContain(
      '**Deprecated** since 2027-01-02. How to move: `/docs/guides/paging`.',
    );
    expect(page('GET /v2/orders')).not.toContain('eprecat');
  });

  test('of today mark what the table has, and the guide says whether that is nothing', async () => {
    const wanted = [...deprecatedRoutes(operationsOf(appRouter), today).keys()];
    const marked: string[] = [];
    for (const version of ['v1', 'v2'] as const)
      for (const { method, path, operation } of documentedOf(
        version,
        await openApiDocument(appRouter, version),
      ))
        if (operation.deprecated) marked.push(`${method} ${path}`);
    expect(marked.sort()).toEqual(wanted.sort());
    const guide = readFileSync(new URL('../../docs/guides/deprecation.md', import.meta.url), 'utf8');
    expect(guide.includes('\nNothing is deprecated today.\n')).toBe(wanted.length === 0);
  });
});

test.each<[string, Deprecations, string]>([
  [
    'a family that ends after less than 24 months',
    { v1: { announced: '2027-03-01', sunset: '2029-02-28', guide: '/docs/guides/v1-to-v2' } },
    'deprecations: v1 lives 24 months after 2027-03-01, not until 2029-02-28',
  ],
  [
    'an operation that is not served',
    { 'GET /v2/nothing': { announced: '2027-03-01', guide: '/docs/guides/orders' } },
    'deprecations: GET /v2/nothing is not served',
  ],
  [
    'a day that is none',
    { 'GET /v2/orders': { announced: '2027-02-30', guide: '/docs/guides/orders' } },
    'deprecations: 2027-02-30 is no day like 2027-03-01',
  ],
])('the service does not start with %s', (_, table, message) => {
  expect(() => deprecatedRoutes(operationsOf(appRouter), table)).toThrow(message);
});
