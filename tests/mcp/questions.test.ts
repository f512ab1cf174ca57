import { expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { useConsumer } from '../support/consumer.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import { orderBody } from '../support/orders.ts';
import { createSteppedWorker } from '../support/stepped-worker.ts';
import { use } from '../support/use.ts';
import { asking, calling, send } from './entrance.ts';

// What an owner and an integrator ask, each with the calls that answer it.

const encryptionKey = 'the-key-that-api-and-worker-share-here';
const api = useApi(() => ({ encryptionKey }));
const consumer = useConsumer((received, response) => {
  response.statusCode = received.path === '/erp' ? 401 : 200;
  response.end(received.path === '/erp' ? 'wrong signature' : 'ok');
});
const worker = use(
  () => createSteppedWorker(api.databaseUrl, encryptionKey),
  (stepped) => stepped.stop(),
);

interface Placed {
  id: string;
  number: number;
  created_at: string;
  payment: { id: string };
}

/** A house that sold an order, canceled another, and then raised the price of its espresso. */
const house = use(async () => {
  const { rest, make } = api;
  await api.prisma.turn.create({ data: { locationId: api.locationId, batchNumber: 1 } });
  const at = (path: string) => new URL(path, consumer.url).href;
  const endpoints = {
    erp: await makeEndpoint(api, ['order.created'], at('/erp')),
    display: await makeEndpoint(api, ['order.created', 'order.cancelled'], at('/display')),
    old: await makeEndpoint(api, ['order.created'], at('/old')),
  };
  await rest(`PATCH /v2/webhook-endpoints/${endpoints.old}`, { body: { status: 'disabled' } });
  const espresso = await make.product({ name: 'Espresso', externalId: 'ES', price: 2 });
  const croissant = await make.product({
    name: 'Croissant',
    externalId: 'CR',
    price: 3,
    stock: { enabled: true, quantity: 1 },
  });
  const rows = { productId: espresso, paymentMethodId: await make.paymentMethod({ type: 'cash' }) };
  const place = async (external_id: string, items: object[]) => {
    const body = orderBody(rows, { external_id, items, channel: 'kiosk' });
    const answer = await rest<{ data: Placed }>('POST /v2/orders', {
      body,
      headers: { 'idempotency-key': external_id },
    });
    expect(answer.status, answer.text).toBe(201);
    return answer.body.data;
  };
  const sold = await place('till-1', [
    { product_id: espresso, quantity: 2 },
    { product_id: croissant, quantity: 1 },
  ]);
  await rest(`POST /v2/payments/${sold.payment.id}/complete`);
  const canceled = await place('till-2', [{ product_id: espresso, quantity: 1 }]);
  await rest(`POST /v2/orders/${canceled.id}/cancel`, { body: { reason: 'The guest left.' } });
  await worker.turn();
  const synced = await answerOf('products_list', { updated_since: '2020-01-01T00:00:00Z' });
  await rest(`PATCH /v2/products/${espresso}`, { body: { price: 2.5 } });
  return { sold, canceled, endpoints, espresso, croissant, synced };
});

async function answerOf(name: string, args: object = {}): Promise<{ data: unknown; next?: object }> {
  const { body, text } = await send(api.url, api.token, calling(name, args));
  expect(body.result?.isError, text).toBeUndefined();
  return body.result?.structuredContent as { data: unknown; next?: object };
}

/** The data that a tool answers. */
const ask = async <Data = Record<string, unknown>>(name: string, args: object = {}): Promise<Data> =>
  (await answerOf(name, args)).data as Data;

test('1. Owner: why did the ERP not get order 1?', async () => {
  const { sold, endpoints } = house;
  const story = await ask<{ not_sent: object[] }>('order_story', { number: sold.number });
  expect(story).toMatchObject({ order: { id: sold.id, external_id: 'till-1', total: 7 } });
  const why = (reason: string, endpoint_id: string) =>
    story.not_sent.filter(
      (each) =>
        'reason' in each &&
        each.reason === reason &&
        'endpoint_id' in each &&
        each.endpoint_id === endpoint_id,
    );
  expect(why('failing', endpoints.erp)).toEqual([
    {
      reason: 'failing',
      message: expect.stringContaining('next_attempt_at'),
      endpoint_id: endpoints.erp,
      event_types: ['order.created'],
      response_code: 401,
      error: expect.any(String),
      next_attempt_at: expect.stringMatching(/^\d{4}-/),
    },
  ]);
  expect(why('endpoint_disabled', endpoints.old)).toMatchObject([{ event_types: ['order.created'] }]);
  const [unsubscribed] = why('not_subscribed', endpoints.display) as { event_types: string[] }[];
  expect(unsubscribed?.event_types).toContain('payment.completed');
  expect(unsubscribed?.event_types).not.toContain('order.created');
});

test('2. Owner: what did we sell that day, and how was it paid?', async () => {
  const { sold } = house;
  const day = await ask('day_in_figures', { date: sold.created_at.slice(0, 10) });
  expect(day).toMatchObject({
    total_orders: 1,
    total_amount: 7,
    average_ticket: 7,
    by_payment_method: [{ orders: 1, amount: 7 }],
    by_channel: [{ key: 'kiosk', amount: 7 }],
    by_product: [
      { key: house.espresso, name: 'Espresso', quantity: 2, amount: 4 },
      { key: house.croissant, name: 'Croissant', quantity: 1, amount: 3 },
    ],
    by_hour: [{ key: sold.created_at.slice(11, 13), amount: 7 }],
    now: { open_orders: 1, pending_payments: 0, turn: { status: 'open', total_collected: 7 } },
  });
});

test('3. Owner: which products are out of stock?', async () => {
  const entries = await ask<{ stock: { quantity: number } }[]>('stock_list', { limit: 200 });
  expect(entries.filter(({ stock }) => stock.quantity <= 0)).toMatchObject([{ product_id: house.croissant }]);
});

test('4. Owner: which price did the espresso have in order 1, and which has it now?', async () => {
  const [order] = await ask<{ id: string }[]>('orders_list', { number: house.sold.number });
  expect(await ask('orders_get', { id: order?.id })).toMatchObject({
    items: [{ name: 'Espresso', unit_price: 2 }, { name: 'Croissant' }],
  });
  expect(await ask('products_get', { id: house.espresso })).toMatchObject({ price: 2.5 });
});

test('5. Owner: who canceled order 2, and why?', async () => {
  const { timeline } = await ask<{ timeline: object[] }>('order_story', { external_id: 'till-2' });
  expect(timeline).toContainEqual(
    expect.objectContaining({
      kind: 'moved',
      to: 'canceled',
      reason: 'The guest left.',
      by: { type: 'api_key', id: api.key.id, name: expect.any(String) },
    }),
  );
});

test('6. Owner: how much cash did the open turn collect?', async () => {
  const turn = await ask('turns_get_current', { include: ['methods'] });
  expect(turn).toMatchObject({ methods: [{ method: 'cash', count: 1, collected: 7 }] });
});

test('7. Integrator: why is my endpoint failing?', async () => {
  const { erp, old } = house.endpoints;
  expect(await ask('endpoint_diagnosis', { id: erp })).toMatchObject({
    endpoints: [
      {
        endpoint: { id: erp, status: 'active' },
        findings: expect.arrayContaining([
          { code: 'not_authorized', message: expect.stringContaining('signature'), count: 2 },
          { code: 'failing', message: expect.any(String), since: expect.any(String) },
        ]),
        last_failures: [
          { attempt: 1, status: 'failed', response_code: 401, response_body: 'wrong signature' },
          { attempt: 1, status: 'failed' },
        ],
      },
    ],
  });
  const all = await ask<{ endpoints: { endpoint: { id: string }; findings: { code: string }[] }[] }>(
    'endpoint_diagnosis',
  );
  const codes = all.endpoints.map(({ endpoint, findings }) => [
    endpoint.id,
    findings.map(({ code }) => code),
  ]);
  expect(Object.fromEntries(codes)).toMatchObject({
    [house.endpoints.display]: [],
    [old]: ['disabled', 'no_attempts'],
  });
  expect(all).toMatchObject({ event_types_without_endpoint: expect.arrayContaining(['stock.updated']) });
});

test('8. Integrator: what changed since my last sync?', async () => {
  expect(house.synced.data).toHaveLength(2);
  expect(house.synced.next).toEqual({ cursor: expect.any(String) });
  const changed = await ask('products_list', house.synced.next);
  expect(changed).toMatchObject([{ id: house.espresso, price: 2.5 }]);
});

test('9. Integrator: does my list of products differ from the catalog?', async () => {
  const before = await ask('products_get', { id: house.espresso });
  const items = [
    { external_id: 'ES', name: 'Espresso', price: 2 },
    { external_id: 'CR', name: 'Croissant', price: 3 },
    { external_id: 'TEA', name: 'Tea', price: 1.5 },
  ];
  const args = { items, dry_run: true, idempotency_key: 'compare' };
  const { changes } = await ask<{ changes: object[] }>('sync_jobs_start_products', args);
  expect(changes).toMatchObject([
    { external_id: 'ES', action: 'updated' },
    { external_id: 'CR', action: 'unchanged' },
    { external_id: 'TEA', action: 'created' },
  ]);
  expect(await ask('products_get', { id: house.espresso })).toEqual(before);
});

test('10. Integrator: did my order arrive, though its answer was lost?', async () => {
  const found = await ask('orders_get_by_external_id', { external_id: 'till-1' });
  expect(found).toMatchObject({ id: house.sold.id, payment: { status: 'completed' } });
});

test('11. Integrator: what may my key do, and how many requests are left?', async () => {
  expect(await ask('limits_get')).toMatchObject({
    permissions: ['*'],
    monthly: { used: expect.any(Number) },
  });
});

test('12. Integrator: how do I verify a webhook?', async () => {
  const listed = await send(api.url, api.token, asking('resources/list'));
  const resources = listed.body.result?.resources as { uri: string; title: string }[];
  const uri = resources.find(({ title }) => title === 'Verify a webhook')?.uri;
  const { body } = await send(api.url, api.token, asking('resources/read', { uri }));
  expect(body.result).toMatchObject({
    contents: [{ uri, mimeType: 'text/markdown', text: expect.stringContaining('webhook-signature') }],
  });
});
