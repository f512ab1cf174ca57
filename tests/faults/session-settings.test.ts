import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createApp, startServer } from '@comanda/api';
import { appRouter } from '@comanda/api/router';
import { sessionSettings } from '@comanda/db';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { inFamily, operationsOf } from '../../packages/api/src/call/operations.ts';
import { SalesGrouping } from '../../packages/api/src/resources/sales-reports/schema.ts';
import { restEntrance } from '../contract/entrances.ts';
import { inputIn, type Kitchen, openKitchen } from '../contract/kitchen.ts';
import { openHand } from '../support/by-hand.ts';
import { startConsumer } from '../support/consumer.ts';
import { useTestDatabase } from '../support/database.ts';
import { callRest } from '../support/rest.ts';
import { startTestWorker } from '../support/run-worker.ts';
import { quoteName } from '../support/server.ts';
import { sqlAt } from '../support/sql.ts';
import { thorough } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Settings of a database that change the text or the meaning of values: two values of each, as SQL. */
const hostile: Readonly<Record<string, readonly [string, string]>> = {
  DateStyle: ["'German, DMY'", "'SQL, DMY'"],
  IntervalStyle: ['sql_standard', 'iso_8601'],
  TimeZone: ["'Asia/Kathmandu'", "'America/St_Johns'"],
  timezone_abbreviations: ["'India'", "'Australia'"],
  bytea_output: ['escape', 'escape'],
  extra_float_digits: ['-10', '3'],
  search_path: [`'"$user"'`, 'pg_catalog'],
  standard_conforming_strings: ['off', 'off'],
  escape_string_warning: ['off', 'on'],
  backslash_quote: ['off', 'on'],
  array_nulls: ['off', 'off'],
  transform_null_equals: ['on', 'on'],
  quote_all_identifiers: ['on', 'on'],
  default_transaction_isolation: ['serializable', "'repeatable read'"],
  default_transaction_deferrable: ['on', 'on'],
  default_text_search_config: ["'pg_catalog.german'", "'pg_catalog.spanish'"],
  gin_fuzzy_search_limit: ['1', '1'],
  client_encoding: ["'LATIN1'", "'SQL_ASCII'"],
  client_min_messages: ['error', 'debug1'],
  lc_messages: ["'C'", "'C'"],
  lc_monetary: ["'C'", "'C'"],
  lc_numeric: ["'C'", "'C'"],
  lc_time: ["'C'", "'C'"],
  icu_validation_level: ['error', 'disabled'],
  lo_compat_privileges: ['on', 'on'],
  synchronize_seqscans: ['off', 'off'],
  xmlbinary: ['hex', 'hex'],
  xmloption: ['document', 'document'],
  row_security: ['off', 'off'],
  plan_cache_mode: ['force_custom_plan', 'force_custom_plan'],
};

const own = useTestDatabase();
const encryptionKey = randomBytes(32).toString('base64');
const reads = operationsOf(appRouter).flatMap((whole) =>
  whole.routes
    .filter(({ method, path }) => method === 'GET' && !path.endsWith('/stream'))
    .map((route) => restEntrance(inFamily(whole, route.version), route)),
);

/** An API and a worker that started with what the database sets at that moment. */
async function start() {
  const databaseUrl = own.url;
  const app = await createApp({
    databaseUrl,
    encryptionKey,
    idempotencyTtlHours: 168,
    webhookTargets: 'any',
    webhookAllowCidrs: [],
    logLevel: 'silent',
  });
  const server = await startServer(app, { host: '127.0.0.1', port: 0 }, undefined, '/nonexistent/site');
  const worker = await startTestWorker(databaseUrl, encryptionKey);
  return {
    url: server.url,
    app,
    async stop() {
      await worker.stop();
      await server.drain(1_000);
      await app.close();
    },
  };
}

let kitchen: Kitchen;
let other: Kitchen;
let expected: Seen;
const inputs = new Map<string, Record<string, unknown>>();
const consumer = await startConsumer();
afterAll(() => consumer.close());

beforeAll(async () => {
  const service = await start();
  kitchen = await openKitchen(service);
  other = await openKitchen(service);
  for (const { name, operation } of reads) inputs.set(name, await inputIn(kitchen, operation));
  const events = ['order.created', 'order.status_changed', 'product.updated'];
  await callRest(service.url, 'POST /v2/webhook-endpoints', {
    key: other.key,
    body: { url: consumer.url, events },
    headers: { 'idempotency-key': 'one' },
  });
  const { pool } = service.app.database;
  await waitFor('the relay', async () => {
    const { rows } = await pool.query('select from internal.captured_changes limit 1');
    return rows.length === 0;
  });
  await service.stop();
  // Each start exports orders, which is a batch job, and the full form has some sixty starts.
  await sqlAt(own.superuserUrl)('update api_keys set batch_jobs_per_hour = 1000');
  expected = await look();
});

interface Seen {
  reads: Record<string, string>;
  webhooks: string[];
  byHand: string;
}

/** The answers and webhooks of a service that has just started. */
async function look(): Promise<Seen> {
  const service = await start();
  try {
    const seen: Record<string, string> = {};
    for (const { name, call } of reads) {
      const { text } = await call(service.url, kitchen.key, inputs.get(name) ?? {});
      seen[name] = name.includes('limits') ? shape(text) : lasting(text);
    }
    const days = 'from=2026-01-01&to=2099-01-01';
    const routes = [
      ...SalesGrouping.options.map((each) => `/v2/sales-reports?${reportDays()}&group_by=${each}`),
      `/v2/orders?${days}`,
      `/v2/payments?${days}`,
      `/v2/orders/export?${days}`,
      '/v2/events?limit=50',
      '/v2/orders?updated_since=2026-01-01T00:00:00Z',
    ];
    for (const route of routes)
      seen[route] = lasting((await callRest(service.url, `GET ${route}`, { key: kitchen.key })).text);
    return { reads: seen, ...(await change(service.url)) };
  } finally {
    await service.stop();
  }
}

/** Yesterday to tomorrow, wherever the location is. */
function reportDays(): string {
  const day = (more: number) => new Date(Date.now() + more * 86_400_000).toISOString().slice(0, 10);
  return `from=${day(-1)}&to=${day(1)}`;
}

/** An order that is placed and moved, and a price that a person edits: their webhooks, and the entry of the audit. */
async function change(url: string): Promise<Pick<Seen, 'webhooks' | 'byHand'>> {
  const { key, product, paymentMethodId } = other;
  consumer.received.length = 0;
  const headers = { 'idempotency-key': randomBytes(8).toString('hex') };
  const body = {
    external_id: headers['idempotency-key'],
    is_take_away: false,
    identifier: 'Table 1',
    items: [{ product_id: product.id, quantity: 1 }],
    payment_method_id: paymentMethodId,
  };
  const placed = await callRest<{ data: { id: string } }>(url, 'POST /v2/orders', { key, body, headers });
  expect(placed.status, placed.text).toBe(201);
  await waitFor('the order', () => consumer.received.length >= 1);
  const moved = await callRest(url, `PATCH /v2/orders/${placed.body.data.id}/status`, {
    key,
    body: { status: 'ready' },
  });
  expect(moved.status, moved.text).toBe(200);
  const hand = await openHand(own.url);
  try {
    await hand.sql('update public.products set description = $2 where id = $1', [
      product.id,
      headers['idempotency-key'],
    ]);
  } finally {
    await hand.close();
  }
  await waitFor('the webhooks', () => consumer.received.length >= 3);
  const audit = await callRest<Audit>(
    url,
    `GET /trpc/audit.list?input=${encodeURIComponent('{"limit":1}')}`,
    { key },
  );
  expect(audit.status, audit.text).toBe(200);
  const entries = audit.body.result.data.data.map(({ rows, ...entry }) => ({
    ...entry,
    after: rows.map(({ after }) => after),
  }));
  return {
    webhooks: consumer.received.map(({ text }) => shape(text)).sort(),
    byHand: shape(JSON.stringify(entries)),
  };
}

interface Audit {
  result: { data: { data: { rows: { after: unknown }[] }[] } };
}

/** The text without what is of this answer alone. */
const lasting = (text: string): string => text.replace(/"(exported_at|next|request_id)":"[^"]+"/g, '"$1":""');

/** The text with ids, times and counts as words: a time in another form stays and differs. */
const shape = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, 'time')
    .replace(/[0-9a-f]{16}/g, 'name')
    .replace(/"(number|version|quantity|remaining|used)":\d+(\.\d+)?/g, '"$1":0');

async function withSettings(values: Readonly<Record<string, string>>): Promise<void> {
  const sql = sqlAt(own.superuserUrl);
  const database = quoteName(new URL(own.url).pathname.slice(1));
  await sql(`alter database ${database} reset all`);
  const known = await sql<{ name: string }>('select name from pg_catalog.pg_settings');
  for (const [name, value] of Object.entries(values))
    if (known.some((each) => each.name === name))
      await sql(`alter database ${database} set ${name} = ${value}`);
}

const all = (which: 0 | 1) =>
  Object.fromEntries(Object.entries(hostile).map(([name, values]) => [name, values[which]]));
const starts: [string, Record<string, string>][] = [
  ['all settings, the first values', all(0)],
  ['all settings, the second values', all(1)],
  ...(thorough
    ? Object.entries(hostile).flatMap(([name, values]) =>
        values.map((value): [string, Record<string, string>] => [`${name} = ${value}`, { [name]: value }]),
      )
    : []),
];

it.each(starts)(
  'reads, reports and webhooks are the same with other settings of the database: %s',
  async (_, values) => {
    await withSettings(values);
    expect(await look()).toEqual(expected);
  },
);

it('every setting of formats and compatibility is tried', async () => {
  await withSettings({});
  const found = await sqlAt(own.superuserUrl)<{ name: string }>(
    `select name from pg_settings where context in ('user', 'superuser') and name <> 'allow_alter_system'
       and (category like '%/ Locale and Formatting' or category like 'Version and Platform Compatibility /%')`,
  );
  expect(found.map(({ name }) => name).filter((name) => !(name in hostile))).toEqual([]);
  expect(Object.keys(sessionSettings).filter((name) => !(name in hostile))).toEqual([]);
});

it("the role of a pooler's sessions gets each of the settings that a session sets", () => {
  const limits = readFileSync(new URL('../../ops/pgbouncer/limits.sql', import.meta.url), 'utf8');
  for (const [name, value] of Object.entries(sessionSettings))
    expect(limits).toContain(`alter role :"role" set ${name} = '${value}';`);
});
