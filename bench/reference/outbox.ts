import { createHmac, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import pg from 'pg';
import { Pool } from 'undici';

// The simplest outbox that keeps its word: the change and its webhooks are one transaction, a loop takes what is due with a lease, and
// each attempt is signed and logged. No guard, no order of events, no feed, no isolation of endpoints, no sealed secrets.

const consumer = new URL(process.env.CONSUMER_URL ?? 'http://127.0.0.1/');
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const sender = new Pool(consumer.origin, { connections: 50 });
const server = Fastify({ logger: false });

await pool.query(`
create table if not exists endpoint (location_id uuid primary key, secret text not null default md5(random()::text));
create table if not exists outbox (id uuid primary key default gen_random_uuid(), location_id uuid not null, body text not null,
  attempts int not null default 0, due_at timestamptz not null default now());
create index if not exists outbox_due on outbox (due_at);
create table if not exists attempt (id uuid not null, at timestamptz not null default now(), status int not null);
insert into endpoint select id from location on conflict do nothing;
create or replace function change_price(p_location uuid, p_product uuid, p_price numeric) returns void language sql as $$
  with changed as (update product set price = p_price where location_id = p_location and id = p_product returning id)
  insert into outbox (location_id, body)
  select p_location, json_build_object('id', gen_random_uuid(), 'type', e.type, 'created_at', to_json(clock_timestamp()),
    'data', case when e.type = 'product.updated' then (select doc from product_json(p_location, array[changed.id])) end)::text
  from changed, (values ('product.updated'), ('catalog.updated')) e (type)
$$;`);

server.patch<{ Params: { location: string; id: string }; Body: { price: number } }>(
  '/:location/products/:id',
  async ({ params, body }) => {
    await pool.query({
      name: 'price',
      text: 'select change_price($1::uuid, $2::uuid, $3::numeric)',
      values: [params.location, params.id, body.price],
    });
    return { ok: true };
  },
);

interface Due {
  id: string;
  body: string;
  secret: string;
}

/** Takes at most 50 with a lease of 30 s; those that fail are due again when it ends, five times. */
async function deliverDue(): Promise<number> {
  const { rows } = await pool.query<Due>({
    name: 'take',
    text: `with due as (select id from outbox where due_at <= now() and attempts < 5 order by due_at limit 50 for update skip locked)
      update outbox o set attempts = o.attempts + 1, due_at = now() + interval '30 s' from due, endpoint e
      where o.id = due.id and e.location_id = o.location_id returning o.id, o.body, e.secret`,
  });
  if (rows.length === 0) return 0;
  const statuses = await Promise.all(rows.map((row) => post(row).catch(() => 0)));
  await pool.query({
    name: 'record',
    text: `with tried as (select * from unnest($1::uuid[], $2::int[]) t (id, status)),
      logged as (insert into attempt (id, status) select id, status from tried)
      delete from outbox o using tried t where o.id = t.id and t.status between 200 and 299`,
    values: [rows.map(({ id }) => id), statuses],
  });
  return rows.length;
}

async function post({ id, body, secret }: Due): Promise<number> {
  const at = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': randomUUID(),
    'webhook-signature': `v1,${signature}`,
  };
  const answer = await sender.request({ path: consumer.pathname, method: 'POST', headers, body });
  await answer.body.dump();
  return answer.statusCode;
}

let open = true;
const loop = (async () => {
  while (open) if ((await deliverDue()) === 0) await sleep(50);
})();

await server.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ ready: true, url: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}` });
for (const signal of ['SIGTERM', 'disconnect'] as const)
  process.once(signal, async () => {
    open = false;
    await loop;
    process.exit(0);
  });
