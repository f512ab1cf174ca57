import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { downloadTypes } from '../../../packages/api/src/documents/routes.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { entriesOf, languages, languagesHere, type Reply, useDriver } from './languages.ts';

const api = usePublishingApi();

test('every client that is served has a driver, and the cases of the others', () => {
  const served = Object.keys(downloadTypes).filter((name) => !name.endsWith('.mjs'));
  expect(languages.map(({ client }) => basename(client))).toEqual(served);
});

describe.each(languagesHere)('the client for $name', (language) => {
  const { ask } = useDriver(language);
  let client = { url: '', key: '' };
  let reader = client;
  let ids = { product: '', method: '' };

  beforeAll(async () => {
    const locationId = await api.make.location({ timezone: 'America/Sao_Paulo' });
    client = { url: api.url, key: (await api.make.key({ locationId })).key };
    const { key } = await api.make.key({ locationId, permissions: ['orders:read'] });
    reader = { url: api.url, key };
    for (let n = 0; n < 5; n++) await api.make.product({ locationId, name: `Product ${n}`, price: 12.35 });
    await api.make.paymentMethod({ locationId });
    const [product] = entriesOf(await call('GET', '/v2/products'));
    const [method] = entriesOf(await call('GET', '/v2/payment-methods'));
    ids = { product: String(product?.id), method: String(method?.id) };
    await api.published();
  });

  const call = (method: string, path: string, more: object = {}) =>
    ask({ do: 'call', client, method, path, ...more });
  const orderBody = (more: object = {}) => ({
    external_id: `PO-${randomUUID()}`,
    is_take_away: false,
    identifier: 'Table 4',
    payment_method_id: ids.method,
    items: [{ product_id: ids.product, quantity: 2 }],
    ...more,
  });
  const place = async (more: object = {}) => {
    const placed = await call('POST', '/v2/orders', { body: orderBody(more) });
    expect(placed.error).toBeUndefined();
    return { ...placed.data, id: String(placed.data?.id) } as Record<string, unknown> & { id: string };
  };
  const idsOf = ({ entries = [] }: Reply) => entries.map(({ id }) => id);

  test('makes, reads and moves an order, and finds it by any external_id', async () => {
    const external_id = `A/B 1%?#+ñ漢 ${randomUUID()}`;
    const made = await place({ external_id });
    expect([made.status, String(made.total)]).toEqual(['pending', '24.7']);
    const id = { parameters: { id: made.id } };
    expect((await call('GET', '/v2/orders/{id}', id)).data).toEqual(made);
    const byExternalId = '/v2/orders/by-external-id/{external_id}';
    expect((await call('GET', byExternalId, { parameters: { external_id } })).data?.id).toBe(made.id);
    const moved = await call('PATCH', '/v2/orders/{id}/status', { ...id, body: { status: 'ready' } });
    expect(moved.data?.status).toBe('ready');
    const filters = {
      external_id,
      from: { $date: '2020-01-01' },
      status: ['ready', 'closed'],
      channel: null,
    };
    const listed = await call('GET', '/v2/orders', { parameters: filters });
    expect(entriesOf(listed).map(({ id }) => id)).toEqual([made.id]);
  });

  test('sends and reads amounts exactly, and deletes', async () => {
    const body = {
      name: 'Gold "1" ñ \u2028 \ud83c\udf55',
      description: '\\ \n\t',
      price: { $decimal: '9999999999.97' },
      stock: { quantity: { $decimal: '0.125' }, enabled: true, min_stock_alarm: 0 },
    };
    const { data, error } = await call('POST', '/v2/products', { body });
    expect(error).toBeUndefined();
    expect(data).toMatchObject({ name: body.name, description: body.description });
    const stock = data?.stock as { quantity: unknown };
    expect([String(data?.price), String(stock.quantity)]).toEqual(['9999999999.97', '0.125']);
    const id = { parameters: { id: data?.id } };
    const renamed = await call('PATCH', '/v2/products/{id}', { ...id, body: { price: 0.1, sku: 'G' } });
    expect([String(renamed.data?.price), renamed.data?.sku]).toEqual(['0.1', 'G']);
    expect((await call('DELETE', '/v2/products/{id}', id)).data?.deleted).toBe(true);
    const gone = await call('GET', '/v2/products/{id}', id);
    expect(gone.error).toMatchObject({ kind: 'refused', status: 404, code: 'resource_not_found' });
  });

  test('answers status and headers, and a 304 without a body', async () => {
    const first = await call('GET', '/v2/catalog');
    const again = await call('GET', '/v2/catalog', { headers: { 'If-None-Match': first.etag } });
    expect([first.status, again.status, again.data ?? null]).toEqual([200, 304, null]);
  });

  test('gives every entry of a list, page after page', async () => {
    const each = (parameters: object) => ask({ do: 'each', client, path: '/v2/products', parameters });
    const products = idsOf(await each({ limit: 2, visible: true }));
    expect(products.length).toBeGreaterThanOrEqual(5);
    expect(new Set(products).size).toBe(products.length);
    expect(idsOf(await each({ search: 'no such product' }))).toEqual([]);
    expect(idsOf(await each({ limit: 2, visible: true, offset: 3 }))).toEqual(products.slice(3));
  });

  test('refuses what it cannot send before any call', async () => {
    const wrong = [
      call('GET', '/v2/orders/{id}'),
      call('POST', '/v2/orders', { body: { a: { $object: true } } }),
      call('GET', '/v2/orders', { headers: { 'X-A': 'two\r\nX-B: lines' } }),
      ask({ do: 'call', client: { ...client, url: 'localhost:3000' }, method: 'GET', path: '/' }),
      ask({ do: 'call', client: { ...client, key: 'two\nlines' }, method: 'GET', path: '/' }),
    ];
    for (const { error } of await Promise.all(wrong)) expect(error?.kind).toBe('argument');
  });

  if (language.hasThreads)
    test('may be shared by threads', async () => {
      const got = await ask({ do: 'threads', client, path: '/v2/locations/current' });
      expect([got.entries?.length, new Set(idsOf(got)).size]).toEqual([8, 1]);
    });

  test('shows its key nowhere', async () => {
    expect((await ask({ do: 'show', client })).text).not.toContain(client.key);
    const nobody = { url: 'http://127.0.0.1:9', key: client.key, tries: 1 };
    const { error } = await ask({ do: 'call', client: nobody, method: 'GET', path: '/v2/orders' });
    expect(error?.kind).toBe('no_answer');
    expect(JSON.stringify(error)).not.toContain(client.key);
  });

  test('names the fields that were refused, the code and the request', async () => {
    const body = orderBody({ items: [{ product_id: randomUUID(), quantity: 0 }], identifier: null });
    const { error } = await call('POST', '/v2/orders', { body });
    expect(error).toMatchObject({ status: 422, code: 'validation_error', reason: 'invalid_field' });
    const paths = error?.fields?.map(([path]) => path);
    expect(paths).toEqual(expect.arrayContaining(['items[0].quantity', 'identifier']));
    expect(error?.text).toContain(error?.request_id || 'no request_id');
  });

  test('says where what took an external_id is', async () => {
    const made = await place();
    const taken = await call('POST', '/v2/orders', { body: orderBody({ external_id: made.external_id }) });
    expect(taken.error).toMatchObject({ status: 409, reason: 'external_id_taken', fields: [] });
    expect((await call('GET', taken.error?.location ?? '')).data).toEqual(made);
  });

  test('reports a permission that is lacking', async () => {
    const lacking = await ask({ do: 'call', client: reader, method: 'GET', path: '/v2/products' });
    expect(lacking.error).toMatchObject({ kind: 'refused', status: 403, code: 'permission_denied' });
  });

  test('answers again what was done under a key of ones own, and refuses another body', async () => {
    const body = orderBody();
    const idempotency_key = randomUUID();
    const first = await call('POST', '/v2/orders', { body, idempotency_key });
    const again = await call('POST', '/v2/orders', { body, idempotency_key });
    expect([again.data, first.is_replay, again.is_replay]).toEqual([first.data, false, true]);
    const other = { body: { ...body, identifier: 'Table 5' }, idempotency_key };
    expect((await call('POST', '/v2/orders', other)).error?.reason).toBe('idempotency_key_reused');
  });

  test('reads the feed on from a cursor, from now and from a moment', async () => {
    const events = (parameters: object, more: object = {}) =>
      ask({ do: 'events', client, parameters: { types: ['order.created'], ...parameters }, ...more });
    await api.published();
    const now = await events({ after: 'latest' });
    expect(now.entries).toEqual([]);
    expect(now.cursor).not.toBe('latest');
    const orders = [await place(), await place(), await place()].map(({ id }) => id);
    const subjects = ({ entries = [] }: Reply) => entries.map(({ data }) => data.id);
    const first = await events({ after: now.cursor }, { follow: true, take: 3 });
    expect(subjects(first)).toEqual(orders);
    expect(first.cursor).toBe(first.entries?.at(-1)?.id);
    const rest = await events({ after: first.entries?.[0]?.id });
    expect(subjects(rest)).toEqual(orders.slice(1));
    const moment = new Date(Date.now() - 3_600_000).toISOString();
    expect(subjects(await events({ since: { $moment: moment } }))).toEqual(expect.arrayContaining(orders));
    expect((await events({ after: randomUUID() })).error?.reason).toBe('unknown_cursor');
  });

  test('reads changes from a cursor, and a page counts when all of it is done', async () => {
    const orders = [await place(), await place(), await place()];
    const path = '/v2/orders';
    const changes = (parameters: object, more: object = {}) =>
      ask({ do: 'changes', client, path, parameters: { limit: 2, ...parameters }, ...more });
    const since = { updated_since: { $moment: '2020-01-01T00:00:00Z' } };
    expect((await changes(since, { take: 1 })).cursor ?? null).toBeNull();
    expect((await changes(since, { take: 2 })).cursor).toEqual(expect.any(String));
    const all = await changes(since);
    expect(idsOf(all)).toEqual(expect.arrayContaining(orders.map(({ id }) => id)));
    await call('PATCH', '/v2/orders/{id}/status', {
      parameters: { id: orders[1]?.id },
      body: { status: 'ready' },
    });
    const changed = await changes({ cursor: all.cursor });
    expect(changed.entries?.map(({ id, status }) => [id, status])).toContainEqual([orders[1]?.id, 'ready']);
    for (const wrong of [{}, { ...since, cursor: all.cursor }])
      expect((await changes(wrong)).error?.kind).toBe('argument');
  });
});
