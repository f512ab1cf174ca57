import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { runComanda } from '../../tests/support/command.ts';
import { fillWithNeighbours, letOthersWork, makeOther, type Other } from '../company.ts';
import type { BenchProcess } from '../processes.ts';
import { figureRow, type Row } from '../result.ts';
import { runSql, type Setup } from '../setup.ts';
import type { Part } from './part.ts';

/**
 * How long writes are refused while a location moves to another cell, next to locations at work: one with a history of
 * 50,000 orders, and the same with 5,000, which shows how much of it grows with the history.
 */
export const moves: Part = {
  name: 'moves',
  summary:
    'a location of 50,000 orders moves to another cell, next to locations at work: how long writes are refused',
  async run({ setup, small, log }) {
    const otherUrl = setup.comandaUrl.replace(/\/comanda$/, '/moved');
    await runSql(setup.comandaUrl, 'create database moved');
    await migrate(otherUrl);
    const key = Buffer.alloc(32, 7).toString('base64');
    const [api, consumer] = await Promise.all([
      setup.startApi({ ENCRYPTION_KEY: key }),
      setup.startConsumer(),
    ]);
    const cells = cellsFile(setup, api, otherUrl, key);
    const others = await fillWithNeighbours(setup, 3, small ? 20 : 1_000);
    const runs = small ? 1 : 3;
    const waiting: (Other & { orders: number })[] = [];
    for (let run = 0; run < runs; run += 1)
      for (const orders of small ? [100] : [5_000, 50_000])
        waiting.push({ ...(await fill(setup, api, consumer, orders)), orders });
    // The captured changes of it are in the events already.
    await setup.comanda.pool.query('truncate internal.captured_changes');
    await setup.comanda.pool.query('vacuum analyze');
    const worker = await setup.startWorker({ ENCRYPTION_KEY: key });
    const rest = letOthersWork(others, api.url);
    const figures: Moved[] = [];
    for (const { orders, ...moving } of waiting) {
      const { seconds } = await move({ setup, api, key, cells }, moving);
      const steps = Object.entries(seconds).map(([step, each]) => `${step} ${each}`);
      log(`${orders} orders: ${steps.join(', ')}`);
      figures.push({ orders, seconds });
    }
    await rest();
    await Promise.all([worker.stop(), api.stop(), consumer.stop()]);
    const of = (orders: number) => figures.filter((each) => each.orders === orders);
    const most = Math.max(...figures.map(({ orders }) => orders));
    const refused = median(of(most).map(({ seconds }) => seconds.refused ?? Number.NaN));
    const whole = median(of(most).map(({ seconds }) => (seconds.copy ?? 0) + (seconds.load ?? 0)));
    const few = Math.min(...figures.map(({ orders }) => orders));
    const note = `of ${few} orders ${median(of(few).map(({ seconds }) => seconds.refused ?? Number.NaN))} s; medians of ${runs}`;
    return [
      figureRow('moves', `writes refused, ${most} orders`, { most: 3, unit: ' s' }, refused, note),
      figureRow(
        'moves',
        'that compared with a copy of all of it',
        { most: 0.2, unit: '' },
        refused / whole,
        `${whole} s`,
      ),
    ] satisfies Row[];
  },
};

interface Moved {
  orders: number;
  /** How long each step took; `refused`: for how long no write was accepted. */
  seconds: Record<string, number>;
}

function cellsFile(
  { directory, comandaUrl }: Setup,
  api: BenchProcess,
  otherUrl: string,
  key: string,
): string {
  const cell = (name: string, url: string) => ({
    ...{ name, origin: api.url, default: name === 'north', encryption_key: key },
    ...{ database_url: url, database_owner_url: url },
  });
  const file = join(directory, 'cells.json');
  writeFileSync(file, JSON.stringify({ cells: [cell('north', comandaUrl), cell('south', otherUrl)] }));
  return file;
}

interface Stage {
  setup: Setup;
  api: BenchProcess;
  key: string;
  cells: string;
}

/** Moves the location, which goes on with orders until they are refused. Throws {Error} where one is lost. */
async function move({ setup, api, key, cells }: Stage, moving: Other): Promise<Omit<Moved, 'orders'>> {
  const { locationId } = moving;
  let open = true;
  let placed = 0;
  const ordering = (async () => {
    for (let at = 0; open; at += 1) {
      const done = await order(moving, api.url, `moving-${at}`);
      placed += done ? 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  const folder = join(setup.directory, `move-${locationId}`);
  const settings = {
    DATABASE_URL: setup.comandaUrl,
    DATABASE_OWNER_URL: setup.comandaUrl,
    ENCRYPTION_KEY: key,
  };
  const options = ['--to', 'south', '--cells', cells, '--reload', 'true', '--folder', folder, '--json'];
  const { code, stdout, stderr } = await runComanda(settings, 'locations', 'move', locationId, ...options);
  open = false;
  await ordering;
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the move ended with ${code}: ${stdout}${stderr}`);
  const count = `select count(*)::int as n from orders where location_id = $1 and channel = 'bench'`;
  const [there] = await runSql(setup.comandaUrl.replace(/\/comanda$/, '/moved'), count, [locationId]);
  if (there?.n !== placed) throw new Error(`${placed} orders were acknowledged, ${there?.n} are there`);
  return JSON.parse(stdout) as { seconds: Moved['seconds'] } satisfies Omit<Moved, 'orders'>;
}

/** Whether an order is accepted. */
async function order(
  { key, paymentMethodId, productIds }: Other,
  url: string,
  name: string,
): Promise<boolean> {
  const response = await fetch(`${url}/v2/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': name },
    body: JSON.stringify({
      ...{ external_id: name, channel: 'bench', is_take_away: false, identifier: '' },
      payment_method_id: paymentMethodId,
      items: [{ product_id: productIds[0], quantity: 1 }],
    }),
  });
  await response.body?.cancel();
  if (!response.ok && response.status !== 503) throw new Error(`an order was answered ${response.status}`);
  return response.ok;
}

/** A location with as many orders of two lines, events, deliveries, attempts and idempotent answers, and a tenth of the products. */
async function fill(setup: Setup, api: BenchProcess, consumer: BenchProcess, orders: number): Promise<Other> {
  const other = await makeOther(setup, orders / 10);
  const { locationId: id } = other;
  const answer = await fetch(`${api.url}/v2/webhook-endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${other.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${consumer.url}/hook`, events: ['order.created'] }),
  });
  if (answer.status !== 201) throw new Error(`webhook endpoint answered ${answer.status}`);
  const parts = [
    `with made as (
       insert into orders (location_id, id, number, external_id, total, payment_method_id, identifier, status, created_at)
       select $1, uuid_v7(), $2::int / 10 + n, 'more-' || n, 25, m.id, '', 'closed', now() - n * interval '1 minute'
       from generate_series(1, $2::int - $2::int / 10) n,
         lateral (select id from payment_methods where location_id = $1 limit 1) m returning id, total, payment_method_id
     ), bought as (
       insert into order_items (location_id, order_id, position, product_id, name, unit_price, quantity, total)
       select $1, m.id, p, (select id from products where location_id = $1 limit 1), 'Product', 12.5, 1, 12.5
       from made m, generate_series(1, 2) p
     )
     insert into payments (location_id, order_id, payment_method_id, amount) select $1, id, payment_method_id, total from made`,
    `insert into events (location_id, id, number, type, resource_id, body, created_at)
     select $1, uuid_v7(), o.number, 'order.created', o.id, repeat('x', 900), o.created_at from orders o
     where o.location_id = $1 and $2::int > 0`,
    `insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts, created_at)
     select $1, w.id, e.id, 'delivered', 1, e.created_at from events e, webhook_endpoints w
     where e.location_id = $1 and w.location_id = $1 and $2::int > 0`,
    `insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status, duration_ms, attempted_at)
     select $1, d.id, d.endpoint_id, d.event_id, 'order.created', 1, 'delivered', 20, d.created_at from webhook_deliveries d
     where d.location_id = $1 and $2::int > 0`,
    `insert into internal.idempotency_keys (location_id, api_key_id, operation, key, request_hash, response)
     select $1, k.id, 'orders.create', 'past-' || n, sha256(n::text::bytea), repeat('x', 600)
     from generate_series(1, $2::int) n, api_keys k where k.location_id = $1`,
    `insert into internal.location_counters as c (location_id, name, value)
     values ($1, 'order', $2::bigint), ($1, 'event', $2::bigint)
     on conflict (location_id, name) do update set value = excluded.value`,
  ];
  // A statement of the service ends after 30 s.
  for (const text of parts) await runSql(setup.comandaUrl, text, [id, orders]);
  return other;
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
