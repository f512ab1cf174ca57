import { randomUUID } from 'node:crypto';
import { startServer } from '@comanda/api';
import { applyPriceChange, issueCode } from '@comanda/api/services';
import type { ComandaClient, ComandaError, Grant } from '@comanda/client';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { carried } from '../../packages/api/src/carried.ts';
import { defaultBounds } from '../../packages/api/src/http/bounds.ts';
import { type Reason, reasons, statusOf } from '../../packages/api/src/reasons.ts';
import { rememberMoved } from '../../packages/api/src/resources/locations/status.store.ts';
import { refusalOfReferred, refusalOfUnknown } from '../contract/reference-router.ts';
import { exchange } from '../contract/socket.ts';
import { type Call, callRest, startTestApi, useApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { superuserUrl } from '../support/database.ts';
import { unknownKey } from '../support/factories.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { plannedPrices } from '../support/price-changes.ts';
import { certificationReasons } from './certification-reasons.ts';
import { endpointReasons } from './endpoint-reasons.ts';
import { moneyReasons } from './money-reasons.ts';
import { type Refusal, refusalIn, refusalOf, refusalThrown, whileCategoriesAreLocked } from './refusals.ts';
import { stockReasons } from './stock-reasons.ts';

vi.setConfig({ testTimeout: 60_000 });

const api = useApi(() => ({ app: 'on' }));
const kitchen = useOrderKitchen(api);
let outside: pg.Client;
beforeAll(async () => {
  outside = new pg.Client({ connectionString: superuserUrl(api.databaseUrl) });
  await outside.connect();
});
afterAll(() => outside.end());

const whileLocked = (reason: Reason) =>
  whileCategoriesAreLocked(outside, () => rest('GET /v2/categories'), reason);
const rest = async (route: string, call?: Call): Promise<Refusal> => refusalIn(await api.rest(route, call));
const order = async (overrides: Record<string, unknown>): Promise<Refusal> =>
  refusalIn(await kitchen.post(overrides));
const line = (overrides: Record<string, unknown>) => ({
  items: [{ product_id: kitchen.productId, quantity: 1, ...overrides }],
});

async function typed(call: (client: ComandaClient) => Promise<unknown>): Promise<Refusal> {
  return refusalThrown(await refusalOf(call(api.client())));
}

const redeemed = (code: string) => typed(({ appCodes }) => appCodes.redeem.mutate({ code }));

async function onSocket(bytes: string, url = api.url): Promise<Refusal> {
  const { status, head, json } = await exchange(url, bytes);
  expect(head).toMatch(/^Link: <\/docs\/errors#\w+>; rel="help"\r?$/m);
  return { status, code: json.error?.code, reason: /^X-Error-Reason: (\w+)\r?$/m.exec(head)?.[1] ?? null };
}

const listedTwice = (key: string) => last(2, () => rest('GET /v2/orders', { key }));

/** The answer to the last of so many equal calls. */
async function last(times: number, call: () => Promise<Refusal>): Promise<Refusal> {
  const refusal = await call();
  return times === 1 ? refusal : last(times - 1, call);
}

const withKey = async (limits: Parameters<typeof api.make.key>[0]) => (await api.make.key(limits)).key;

/** The answer to a key of another location, as `status` says. */
async function atLocation(status: string, route: string, call?: Call): Promise<Refusal> {
  const locationId = await api.make.location();
  const change = 'update locations set status = $2::location_status where id = $1';
  await outside.query(change, [locationId, status]);
  const { key } = await api.make.key({ locationId });
  return rest(route, { ...call, key });
}

const noMatch = { headers: { 'If-Match': '"stale"' } };
const tea = { name: 'Tea', description: '', price: 1 };

const stock = (...ids: string[]) => ({
  body: { items: ids.map((product_id) => ({ product_id, quantity: 1 })) },
});

/** A call for each reason. */
const calls: Record<Reason, () => Promise<Refusal>> = {
  ...certificationReasons(() => ({ api, rest })),
  unreadable_request: () => rest('GET /v2/orders/%zz'),
  unreadable_body: () => rest('POST /v2/categories', { body: '{' }),
  body_bound: () => rest('POST /v2/categories', { body: '['.repeat(65) }),
  changed_since: () => rest(`DELETE /v2/products/${kitchen.productId}`, noMatch),
  no_tag: () => rest('GET /v2/limits', noMatch),
  tag_matches: () => rest(`DELETE /v2/products/${kitchen.productId}`, { headers: { 'If-None-Match': '*' } }),
  method_not_allowed: () => rest('DELETE /v2/orders'),
  async request_timeout() {
    const bounds = { ...defaultBounds, headersTimeoutMs: 100, requestTimeoutMs: 100, checkEveryMs: 20 };
    // Of its own: a server that stops ends the streams of its app.
    const own = await startTestApi();
    const server = await startServer(own.app, { host: '127.0.0.1', port: 0 }, bounds);
    onTestFinished(() => server.drain(1_000).then(() => own.close()));
    return onSocket('GET /v2/orders HTTP/1.1\r\n', server.url);
  },
  body_too_large: () => rest('POST /v2/categories', { body: ' '.repeat(1024 * 1024 + 1) }),
  unsupported_media_type: () =>
    rest('POST /v2/categories', { body: '{}', headers: { 'content-type': 'text/plain' } }),
  lines_not_available: async () => {
    const headers = { 'trpc-accept': 'application/jsonl' };
    const { body } = await api.rest('POST /trpc/products.list', { body: '{}', headers });
    return refusalThrown((body.error as { data: ComandaError }).data);
  },
  expectation_failed: () =>
    onSocket('GET /v2/orders HTTP/1.1\r\nHost: x\r\nExpect: 200-maybe\r\nConnection: close\r\n\r\n'),
  unknown_transfer_coding: () =>
    onSocket('POST /v2/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'),
  unknown_http_version: () => onSocket('GET /v2/orders HTTP/2.0\r\nHost: x\r\n\r\n'),
  headers_too_large: () => onSocket(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  key_missing: async () => refusalIn(await callRest(api.url, 'GET /v2/orders')),
  key_not_valid: () => rest('GET /v2/orders', { key: 'cmd_live_wrong' }),
  app_code_unknown: () => redeemed('x'),
  async app_code_used() {
    const { code } = await issueCode(api.app.database, {});
    await api.client().appCodes.redeem.mutate({ code });
    return redeemed(code);
  },
  async app_code_expired() {
    const { code } = await issueCode(api.app.database, {});
    await api.sql(`update internal.app_codes set created_at = now() - interval '11 minutes'`);
    return redeemed(code);
  },
  permission_missing: async () =>
    rest('GET /v2/orders', { key: await withKey({ permissions: ['turns:read'] }) }),
  beyond_own_key: () =>
    typed(({ keys }) => keys.create.mutate({ name: 'more', permissions: ['*'], per_minute: 1_000_000 })),
  foreign_origin: () => rest('POST /mcp', { headers: { origin: 'https://elsewhere.example' } }),
  sandbox_only: () => rest('POST /v2/sandbox/reset'),
  location_disabled: () => atLocation('disabled', 'GET /v2/orders'),
  unknown_path: () => rest('GET /v2/dishes'),
  not_found: () => rest(`GET /v2/orders/${randomUUID()}`),
  async external_id_taken() {
    const { external_id } = await kitchen.place();
    return order({ external_id });
  },
  async location_paused() {
    const { token: key, client } = await api.place();
    await client().locations.pause.mutate({});
    return rest('POST /v2/orders', { key, body: kitchen.body(), headers: { 'Idempotency-Key': 'paused' } });
  },
  async price_change_ended() {
    const prices = [{ product_id: kitchen.productId, price: 1 }];
    const { id } = await plannedPrices(api, { effective_at: '2020-01-01T00:00:00Z', prices });
    await applyPriceChange(api.app.database, api.locationId, id);
    return rest(`DELETE /v2/price-changes/${id}`);
  },
  async sku_taken() {
    const call = { body: { name: 'Tea', description: '', price: 1, sku: 'taken' } };
    await api.rest('POST /v2/products', call);
    return rest('POST /v2/products', call);
  },
  async idempotency_key_reused() {
    const idempotencyKey = randomUUID();
    await kitchen.post({}, { idempotencyKey });
    return refusalIn(await kitchen.post({}, { idempotencyKey }));
  },
  async shown_once() {
    const permissions: Grant[] = ['turns:read'];
    const input = { name: 'once', permissions, idempotencyKey: randomUUID() };
    await api.client().keys.create.mutate(input);
    return typed(({ keys }) => keys.create.mutate(input));
  },
  async illegal_move() {
    const { id } = await kitchen.place();
    return rest(`PATCH /v2/orders/${id}/status`, { body: { status: 'closed' } });
  },
  async guarded() {
    await kitchen.place();
    const change = { id: kitchen.paymentMethodId, type: 'qr' as const };
    return typed(({ paymentMethods }) => paymentMethods.update.mutate(change));
  },
  ...moneyReasons(() => ({ api, kitchen, typed, rest })),
  ...stockReasons(() => ({ api, rest })),
  ...endpointReasons(() => ({ api, rest })),
  invalid_field: () => order({ identifier: 4 }),
  unknown_parameter: () => rest('GET /v2/orders?form=2026-11-21'),
  idempotency_key_missing: () => rest('POST /v2/orders', { body: kitchen.body() }),
  unknown_cursor: () => rest('GET /v2/products?cursor=x'),
  async cursor_not_restored() {
    const lost = await outside.query<{ id: string }>('select uuid_v7() as id');
    await underDeed(
      api.pool,
      'repair: a test',
      `insert into audit_entries (location_id, actor_kind, operation, changes)
       values ($1, 'command_line', 'locations.restored', '{"since": "2026-01-31T00:00:00Z"}')`,
      [api.locationId],
    );
    return rest(`GET /v2/events?after=${lost.rows[0]?.id}`);
  },
  clock_ahead: () => rest('GET /v2/products?updated_since=2999-01-01T00:00:00Z'),
  batch_too_large: async () =>
    rest('POST /v2/stock/sync', { ...stock('a', 'b'), key: await withKey({ maxItemsPerBatch: 1 }) }),
  unknown_product: () => order(line({ product_id: randomUUID() })),
  async invalid_selection() {
    const productId = await api.make.product();
    await api.make.subselection({ productId, items: [{ price: 1 }], minSelection: 1 });
    return order(line({ product_id: productId }));
  },
  async out_of_stock() {
    const scarce = await api.make.product({ stock: { enabled: true, quantity: 1 } });
    return order(line({ product_id: scarce, quantity: 2 }));
  },
  async payment_method_unusable() {
    return order({ payment_method_id: await api.make.paymentMethod({ enabled: false }) });
  },
  source_key_unusable: () => typed((client) => client.menus.copy.mutate({ from_key: 'cmd_live_none' })),
  unknown_category: () => rest('POST /v2/products', { body: { ...tea, category_ids: [randomUUID()] } }),
  unknown_reference: () => refusalOfUnknown(api),
  still_referenced: () => refusalOfReferred(api),
  simulation_refused: () => rest('GET /v2/orders', { headers: { 'x-comanda-simulate': 'slow' } }),
  minute_limit: async () => listedTwice(await withKey({ perMinute: 1 })),
  month_limit: async () => listedTwice(await withKey({ monthly: 1 })),
  async batch_limit() {
    const key = await withKey({ batchJobsPerHour: 1 });
    const counted = stock(await api.make.product());
    return last(2, () => rest('POST /v2/stock/sync', { ...counted, key }));
  },
  async too_many_codes() {
    // Of its own: the attempts are counted by address.
    const own = await startTestApi({ app: 'on' });
    onTestFinished(() => own.close());
    const attempt = () => refusalOf(own.client().appCodes.redeem.mutate({ code: 'x' }));
    return last(20, async () => refusalThrown(await attempt()));
  },
  async too_many_streams() {
    const key = await withKey({ permissions: ['events:read'] });
    const open = () => fetch(`${api.url}/v2/events/stream`, { headers: { authorization: `Bearer ${key}` } });
    const streams = await Promise.all(Array.from({ length: 20 }, open));
    const refusal = await rest('GET /v2/events/stream', { key });
    await Promise.all(streams.map(({ body }) => body?.cancel()));
    return refusal;
  },
  temporarily_unavailable: () => whileLocked('temporarily_unavailable'),
  location_busy: () => whileLocked('location_busy'),
  location_read_only: () => atLocation('read_only', 'POST /v2/categories', { body: { name: 'Tea' } }),
  async moved() {
    const id = await api.make.location();
    const at = await api.prisma.location.findUniqueOrThrow({ where: { id } });
    await rememberMoved(api.app.database, at, 'elsewhere');
    return rest('GET /v2/orders', { key: unknownKey(at).key });
  },
  async internal() {
    await outside.query('alter table turns rename to turns_gone');
    onTestFinished(async () => void (await outside.query('alter table turns_gone rename to turns')));
    return rest('GET /v2/turns');
  },
};

it.each([
  ['garbage', 'garbage\r\n\r\n', 'unreadable_request'],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 'method_not_allowed'],
  ['no host', 'GET /v2/orders HTTP/1.1\r\nConnection: close\r\n\r\n', 'unreadable_request'],
])('input that never becomes a request gets its reason, too: %s', async (_what, bytes, reason) => {
  expect(await onSocket(bytes)).toMatchObject({ code: 'invalid_request', reason });
});

it.each(Object.keys(reasons) as Reason[])(
  'every reason of the table can be met, and leaves with its status and its code: %s',
  async (reason) => {
    const { carries = [], ...refusal } = await calls[reason]();
    expect(refusal).toEqual({ status: statusOf(reason), code: reasons[reason].code, reason });
    // The types of the client promise it.
    if (reason in carried) expect(carries).toContain(carried[reason as keyof typeof carried]);
    else expect(carries.filter((name) => name !== 'etag')).toEqual([]);
  },
);
