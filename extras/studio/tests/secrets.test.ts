import { expect, it } from 'vitest';
import { type TestApi, useApi } from '../../../tests/support/api.ts';
import { createOrderKitchen, placeOrder } from '../../../tests/support/orders.ts';

const api = useApi();

it('no table shows a key or a signing secret in the clear, in any schema', async () => {
  const made = await api.client().keys.create.mutate({ name: 'ERP', permissions: ['*'] });
  const endpoint = { url: 'http://127.0.0.1:9/hook', events: ['order.created'] };
  const created = await api.rest<{ data: { id: string; secret: string } }>('POST /v2/webhook-endpoints', {
    body: endpoint,
  });
  const { id, secret } = created.body.data;
  const rotated = await api.rest<{ data: { secret: string } }>(
    `POST /v2/webhook-endpoints/${id}/rotate-secret`,
  );
  const withKey: TestApi['rest'] = (route, call = {}) => api.rest(route, { key: made.key, ...call });
  await placeOrder({ rest: withKey }, await createOrderKitchen(api));
  await api.rest(`POST /v2/webhook-endpoints/${id}/test`);

  const keys = [api.key.key, made.key];
  const bytes = [secret, rotated.body.data.secret].map((text) =>
    Buffer.from(text.slice('whsec_'.length), 'base64'),
  );
  const secrets = [
    ...keys.flatMap((key) => [
      key,
      key.slice('cmd_live_7k2m9xqd_'.length + 4),
      Buffer.from(key).toString('hex'),
    ]),
    ...bytes.flatMap((raw) => [raw.toString('base64').replace(/=+$/, ''), raw.toString('hex')]),
  ];
  const tables = await everyTable();
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['public.api_keys', 'internal.webhook_secrets', 'public.audit_entries']),
  );
  expect(tables.filter(({ text }) => text !== '').length).toBeGreaterThan(10);
  for (const { name, text } of tables)
    expect(
      secrets.filter((each) => text.includes(each)),
      name,
    ).toEqual([]);
});

/** Every row of every table, as text. */
async function everyTable(): Promise<{ name: string; text: string }[]> {
  const { pool } = api.app.database;
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const found: { name: string; text: string }[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ text: string }>(`select t::text as text from ${name} t`);
    found.push({ name, text: rows.map(({ text }) => text).join('\n') });
  }
  return found;
}
