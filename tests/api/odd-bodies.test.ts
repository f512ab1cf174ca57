import { randomUUID } from 'node:crypto';
import { appRouter, operationsOf } from '@comanda/api';
import { describe, expect, it } from 'vitest';
import { Product } from '../../packages/api/src/resources/products/schema.ts';
import { dataOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';

const api = useApi();

const writes = operationsOf(appRouter).filter(({ kind }) => kind === 'mutation');
const routes = writes.flatMap((operation) =>
  operation.routes
    .filter(({ method }) => method !== 'DELETE')
    .map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, randomUUID())}`),
);
const send = (route: string, body: string, headers: Record<string, string> = {}) =>
  api.rest<{ error?: { message: string } }>(route, {
    body,
    headers: { 'idempotency-key': randomUUID(), ...headers },
  });

/** Names of members that nothing can store: within the body, and within a list. */
const unstorable = ['{"\\ud800":1}', '{"a\\u0000":1}', '{"x":[{"\\udc00":{"a":1}}]}'];

describe('a member name that cannot be stored', () => {
  it.each(routes)('is refused as a value is: %s', async (route) => {
    for (const body of unstorable) {
      const { status, text } = await send(route, body);
      expect({ body, status, text }).toMatchObject({ status: 422 });
      expect(text).toContain('must not contain U+0000 or unpaired surrogates');
    }
  });

  it.each(writes.map(({ name }) => name))('is refused over tRPC: %s', async (name) => {
    for (const body of unstorable) {
      const answer = await fetch(`${api.url}/trpc/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api.key.key}`, 'content-type': 'application/json' },
        body: `{"idempotencyKey":"${randomUUID()}",${body.slice(1)}`,
      });
      const text = await answer.text();
      expect({ body, status: answer.status, text }).toMatchObject({ status: 422 });
    }
  });
});

describe('a name that an object has twice', () => {
  it.each(routes)('is refused with handling=strict: %s', async (route) => {
    const { status, text } = await send(route, '{"a":1,"b":{"c":[{"d":1,"d":2}]}}', {
      prefer: 'handling=strict',
    });
    expect({ status, text }).toMatchObject({ status: 422 });
    expect(text).toContain('b.c[0].d: must not be given twice');
  });

  it('is otherwise the last of the two, as JSON.parse has it', async () => {
    const answer = await send('POST /v2/products', '{"name":"a","name":"b","description":"","price":1}');
    expect(dataOf(answer, 201, Product).name).toBe('b');
  });
});

describe('a number', () => {
  const product = (price: string) =>
    send('POST /v2/products', `{"name":"n","description":"","price":${price}}`);

  it.each(['0.1000000000000000055511151231257827', '1e-400', '12.5000000000000000000000001'])(
    'with more decimals than a double shows is refused: %s',
    async (price) => {
      const { status, text } = await product(price);
      expect({ status, text }).toMatchObject({ status: 422 });
      expect(text).toContain('price: must have at most 2 decimals');
    },
  );

  it.each([
    ['1.100', 1.1],
    ['1e2', 100],
    ['0.5000000000000000000000', 0.5],
    ['0e-400', 0],
    ['9999999999.99', 9_999_999_999.99],
  ])('is what it says, however it is written: %s', async (written, price) => {
    expect(dataOf(await product(written), 201, Product).price).toBe(price);
  });

  it.each(['GET', 'GET in a batch', 'POST', 'POST in a batch'])(
    'is judged by its digits over tRPC, too: %s',
    async (way) => {
      const [method, isBatch] = [way.split(' ')[0] ?? '', way.includes('batch')];
      const quote = async (quantity: string) => {
        const call = `{"external_id":"q","is_take_away":false,"identifier":"","payment_method_id":"${randomUUID()}","items":[{"product_id":"${randomUUID()}","quantity":${quantity}}]}`;
        const input = isBatch ? `{"0":${call}}` : call;
        const query = new URLSearchParams({
          ...(isBatch && { batch: '1' }),
          ...(method === 'GET' && { input }),
        });
        const answer = await fetch(`${api.url}/trpc/orders.quote?${query}`, {
          method,
          headers: { authorization: `Bearer ${api.key.key}`, 'content-type': 'application/json' },
          ...(method === 'POST' && { body: input }),
        });
        return { status: answer.status, text: await answer.text() };
      };
      expect((await quote('1.000')).status).toBe(200);
      for (const quantity of ['1.0000000000000000000000001', '1e-400', '0.0010000000000000000001']) {
        const { status, text } = await quote(quantity);
        expect({ quantity, status, text }).toMatchObject({ status: 422 });
        expect(text).toContain('items[0].quantity: must have at most 3 decimals');
      }
    },
  );

  it('is compared in a repeat as JSON.parse has it, so that keys which were stored before it was judged hold', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = (price: string) => `{"name":"n","description":"","price":${price}}`;
    const first = await api.rest('POST /v2/products', { body: body('0.1'), headers });
    const again = await api.rest('POST /v2/products', { body: body('0.10000000000000000000001'), headers });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});
