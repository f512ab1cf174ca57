import { describe, expect, test } from 'vitest';
import type { oas31 } from 'zod-openapi';
import { newApiKey } from '../../../packages/api/src/credentials/api-key.ts';
import { openApiDocument } from '../../../packages/api/src/documents/openapi.ts';
import { documentedOf, pathOf } from '../../../packages/api/src/documents/site/documented.ts';
import { appRouter } from '../../../packages/api/src/router.ts';
import {
  type CallForm,
  formOf,
  type OpenApi,
  operationIdOf,
} from '../generator/.vitepress/theme/try/form.ts';
import { keyProblem, newIdempotencyKey, requestOf } from '../generator/.vitepress/theme/try/request.ts';

const key = newApiKey({ code: '0a1b2c3d', sandbox: true }).key;
const documents = await Promise.all(
  (['v1', 'v2'] as const).map(async (version) => {
    const document = await openApiDocument(appRouter, version);
    // As a page reads it.
    const read = JSON.parse(JSON.stringify(document)) as OpenApi;
    return documentedOf(version, document).map((each) => ({ each, read }));
  }),
);
const calls = documents
  .flat()
  .map(({ each, read }) => ({ name: `${each.method} ${each.path}`, ...each, page: pathOf(each), read }));

const filled = (form: CallForm, more: Record<string, string> = {}) => ({
  key,
  body: form.body ?? '',
  values: { ...Object.fromEntries(form.fields.map(({ name, initial }) => [name, initial])), ...more },
});

describe('the form of', () => {
  test.each(calls)('$name sends what the operation needs as it opens, and nothing optional', (call) => {
    const form = formOf(call.read, operationIdOf(`${call.page}.md`));
    if (form === undefined) throw new Error(`${call.page} has no form`);
    const request = requestOf(form, filled(form));
    const { pathname, search } = new URL(request.path, 'http://here');
    const pattern = call.path.split(/\{\w+\}/).map((part) => part.replace(/\W/g, '\\$&'));
    expect(pathname).toMatch(new RegExp(`^${pattern.join('[^/{}]+')}$`));
    expect(request.method).toBe(call.method);
    const required = form.fields.filter((field) => field.required);
    const of = (place: string) => required.filter((field) => field.place === place).map(({ name }) => name);
    expect([...new URLSearchParams(search).keys()]).toEqual(of('query'));
    expect(Object.keys(request.headers)).toEqual([
      'Authorization',
      ...of('header'),
      ...(form.body === undefined ? [] : ['Content-Type']),
    ]);
    expect(request.body === undefined).toBe(call.operation.requestBody === undefined);
    const { content } = (call.operation.requestBody ?? {}) as oas31.RequestBodyObject;
    const { example } = content?.['application/json'] ?? {};
    if (request.body !== undefined) expect(JSON.parse(request.body)).toEqual(example);
  });

  test.each(calls)('$name sends each parameter that is filled in, where it belongs', (call) => {
    const form = formOf(call.read, call.operation.operationId ?? '');
    if (form === undefined) throw new Error(`${call.page} has no form`);
    expect(new Set(form.fields.map(({ name }) => name)).size).toBe(form.fields.length);
    const value = ' a/b&c=ü ';
    const values = Object.fromEntries(form.fields.map(({ name }) => [name, value]));
    const request = requestOf(form, filled(form, values));
    const query = new URL(request.path, 'http://here').searchParams;
    for (const { name, place } of form.fields) {
      if (place === 'query') expect(query.get(name)).toBe(value.trim());
      else if (place === 'header') expect(request.headers[name]).toBe(value.trim());
      else expect(request.path).toContain(encodeURIComponent(value.trim()));
    }
  });
});

test('no request is made with a key of a live location, or with what is no key', () => {
  const form: CallForm = { method: 'GET', path: '/v2/orders', fields: [] };
  const live = newApiKey({ code: '0a1b2c3d', sandbox: false }).key;
  for (const wrong of [
    live,
    ` ${live}`,
    `Bearer ${live}`,
    `Bearer ${key}`,
    `${key} ${live}`,
    'cmd_test_',
    'x',
  ]) {
    expect(keyProblem(wrong), wrong).not.toBe('');
    expect(() => requestOf(form, { key: wrong, body: '', values: {} }), wrong).toThrow();
  }
  expect(keyProblem(live)).toContain('live location');
  expect(() => requestOf(form, { key: ' ', body: '', values: {} })).toThrow('A key is needed.');
  const { headers } = requestOf(form, { key: ` ${key}\n`, body: '', values: {} });
  expect(headers).toEqual({ Authorization: `Bearer ${key}` });
});

test('idempotency keys of the form differ', () => {
  const keys = Array.from({ length: 100 }, newIdempotencyKey);
  expect(new Set(keys).size).toBe(100);
  for (const each of keys) expect(each).toMatch(/^try-[0-9a-f]{24}$/);
});
