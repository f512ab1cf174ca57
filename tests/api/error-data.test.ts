import { randomUUID } from 'node:crypto';
import { comandaError } from '@comanda/client';
import { describe, expect, it } from 'vitest';
import { type Answer, useApi } from '../support/api.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { thrownBy } from '../support/thrown.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);

const refusalOf = async (call: Promise<unknown>) => comandaError(await thrownBy(call));

describe('the answer to a taken identifier names the one that has it', () => {
  const pathIn = ({ headers }: Answer) => headers.get('location');

  it.each(['v1', 'v2'])('an order, by its path in %s', async (version) => {
    const { id, external_id } = await kitchen.place();
    const path = `/${version}/orders`;
    const answer = await kitchen.post({ external_id }, { path });
    expect([answer.status, pathIn(answer)]).toEqual([409, `${path}/${id}`]);
  });

  it.each([
    ['products', { name: 'Tea', description: '', price: 1, sku: 'one' }],
    ['products', { name: 'Tea', description: '', price: 1, external_id: 'one' }],
    ['categories', { name: 'Tea', priority: 1, visible: true, external_id: 'one' }],
  ])('of %s', async (collection, body) => {
    const path = `/v2/${collection}`;
    const made = await api.rest<{ data: { id: string } }>(`POST ${path}`, { body });
    const answer = await api.rest(`POST ${path}`, { body });
    expect([answer.status, pathIn(answer)]).toEqual([409, `${path}/${made.body.data.id}`]);
    expect(answer.text).toContain(made.body.data.id);
  });

  it('the owner of a sku, to a catalog sync', async () => {
    const body = { name: 'Tea', description: '', price: 1, sku: 'owned' };
    const made = await api.rest<{ data: { id: string } }>('POST /v2/products', { body });
    const products = [{ external_id: 'other', name: 'Mate', price: 1, sku: 'owned' }];
    const answer = await api.rest('POST /v2/catalog/sync', {
      body: { categories: [{ external_id: 'drinks', name: 'Drinks', products }] },
    });
    expect([answer.status, pathIn(answer)]).toEqual([409, `/v2/products/${made.body.data.id}`]);
  });

  it('in the typed client by its id', async () => {
    const { id, external_id } = await kitchen.place();
    const order = kitchen.body({ external_id }) as never;
    const refusal = await refusalOf(
      api.client().orders.create.mutate({ ...(order as object), idempotencyKey: randomUUID() } as never),
    );
    const taken = { code: 'conflict', reason: 'external_id_taken', fields: [] };
    expect(refusal).toMatchObject({ ...taken, resourceId: id });
  });
});

describe('an error of the typed client', () => {
  it('names each failing field apart', async () => {
    const wrong = { name: '', price: -1, visible: null } as never;
    const refusal = await refusalOf(api.client().products.create.mutate(wrong));
    expect(refusal?.fields).toEqual([
      { path: 'name', message: 'must have 1 to 255 characters' },
      { path: 'description', message: 'is required' },
      { path: 'price', message: 'must not be negative' },
      { path: 'visible', message: 'must be true or false, not null' },
    ]);
    expect(refusal?.message).toBe(
      refusal?.fields.map(({ path, message }) => `${path}: ${message}`).join('; '),
    );
    expect(refusal).toMatchObject({ httpStatus: 422, reason: 'invalid_field' });
    expect(refusal).not.toHaveProperty('resourceId');
    expect(refusal).not.toHaveProperty('retryAfterSeconds');
  });

  it('names ten fields at most, as the message does', async () => {
    const event_types = Array.from({ length: 12 }, () => 'order.canceled');
    const refusal = await refusalOf(api.client().events.list.query({ types: event_types } as never));
    expect(refusal?.fields).toHaveLength(10);
    const message = 'is unknown: did you mean order.cancelled?';
    expect(refusal?.fields[0]).toEqual({ path: 'types[0]', message });
    expect(refusal?.message).toMatch(/; and more$/);
  });

  it('returns how long to wait', async () => {
    const { key } = await api.make.key({ perMinute: 1 });
    await api.client(key).orders.list.query({});
    const refusal = await refusalOf(api.client(key).orders.list.query({}));
    expect(refusal).toMatchObject({ code: 'rate_limited', reason: 'minute_limit' });
    expect(refusal?.retryAfterSeconds).toBeGreaterThan(0);
    expect(refusal?.retryAfterSeconds).toBeLessThanOrEqual(60);
  });
});

it('/docs/errors explains every reason at its anchor, which the Link of an error leads to', async () => {
  const answer = await api.rest('GET /v2/dishes');
  const link = /^<(.*)>; rel="help"$/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
  const [path, anchor] = link.split('#');
  const page = await fetch(api.url + path);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const html = await page.text();
  expect(html).toContain(`<h3 id="${anchor}"`);
});
