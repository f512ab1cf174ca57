import { statfsSync } from 'node:fs';
import { newApiKey } from '@comanda/api/services';
import { createSecretBox, newSigningSecret, parseEncryptionKeys } from '@comanda/db';
import pg from 'pg';
import { counts } from './counts.statements.ts';
import { answers, events, orders } from './orders.statements.ts';
import * as sql from './places.statements.ts';
import { keptDays, type Size } from './sizes.ts';
import { book, share, step } from './steps.ts';

/** Orders that one statement writes. */
const chunk = 10_000;

/** Connections that write. */
const lanes = 6;

/** Tables that take most rows: their indexes that no key needs are made when all is there. */
const busy = [
  'orders order_items payments internal.order_moves events webhook_deliveries webhook_attempts',
  'internal.tallies internal.idempotency_keys',
].join(' ');

/** Less free disk than this ends a fill. */
const leastFree = 15 * 1024 ** 3;

/** The rows with which a database is filled. */
export interface Filling {
  /** On the disk that must keep room. */
  directory: string;
  size: Size;
  /** ENCRYPTION_KEY of the service that will run on it. */
  encryptionKey: string;
  log: (line: string) => void;
}

/**
 * Fills a migrated database as its superuser, set-wise and without triggers: locations with their products, keys and endpoints; orders of
 * `days` days with lines, payments and moves; events with their deliveries, attempts and idempotent answers as long as they are kept;
 * and what triggers count. Rows are written in the order of time, as life writes them, so those of a location lie apart. A fill that was cut
 * short goes on where it ended.
 */
export async function fillDatabase(
  url: string,
  { directory, size, encryptionKey, log }: Filling,
): Promise<void> {
  const writers = await Promise.all(Array.from({ length: lanes }, () => connect(url)));
  const [client] = writers;
  if (client === undefined) return;
  try {
    await client.query(book);
    await step(client, 'places', () => makePlaces(client, size, encryptionKey));
    log(`${size.locations} locations`);
    await step(client, 'draft', async () => {
      await client.query(sql.draftOrders, [size.orders, size.days, size.ranks]);
      await client.query('create unique index on bench_orders (n); analyze bench_orders');
    });
    log(`${size.orders} orders are drafted`);
    const tell = (line: string) => {
      const { bavail, bsize } = statfsSync(directory);
      if (bavail * bsize < leastFree) throw new Error('less than 15 GiB of disk are free');
      log(line);
    };
    await fillDrafted(writers, size, tell);
  } finally {
    await Promise.all(writers.map((one) => one.end()));
  }
}

/** The orders of the draft and what comes of them, on all connections at once. */
async function fillDrafted(
  writers: readonly pg.Client[],
  size: Size,
  log: (line: string) => void,
): Promise<void> {
  const [client] = writers;
  if (client === undefined) return;
  await step(client, 'indexes', async () => {
    await client.query(keepIndexes, [busy.split(' ')]);
    const { rows } = await client.query<{ name: string }>('select name from bench_indexes');
    for (const { name } of rows) await client.query(`drop index ${name}`);
  });
  await writeOrders(writers, size, log);
  await share(writers, counts);
  log('counts');
  const { rows } = await client.query<{ definition: string }>('select definition from bench_indexes');
  await share(
    writers,
    rows.map(({ definition }) => definition),
  );
  log(`${rows.length} indexes`);
  await vacuum(writers);
  await client.query('drop table bench_orders, bench_places, bench_indexes, bench_steps');
  log('vacuumed and analyzed');
}

async function vacuum(writers: readonly pg.Client[]): Promise<void> {
  const left = busy.split(' ');
  const work = async (client: pg.Client) => {
    for (let table = left.shift(); table !== undefined; table = left.shift())
      await client.query(`vacuum analyze ${table}`);
  };
  await Promise.all(writers.map(work));
  await writers[0]?.query('vacuum analyze');
}

/** For it no trigger fires, and no foreign key is looked at. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'bench-fill' });
  await client.connect();
  await client.query(
    `set session_replication_role = replica; set work_mem = '512MB'; set maintenance_work_mem = '512MB'; set synchronous_commit = off;
     select setseed(0.5)`,
  );
  await client.query(sql.idAt);
  return client;
}

async function makePlaces(client: pg.Client, size: Size, encryptionKey: string): Promise<void> {
  await client.query(sql.draftPlaces, [size.locations, size.days]);
  for (const text of sql.places) await client.query(text);
  const { rows } = await client.query<{ id: string; code: string; key: string; endpoint: string }>(
    'select b.id, l.code, b.key, b.endpoint from bench_places b join locations l on l.id = b.id',
  );
  const made = rows.map(({ code }) => newApiKey({ code }));
  const ids = rows.map(({ id }) => id);
  await client.query(sql.keys, [
    ids,
    rows.map(({ key }) => key),
    made.map(({ prefix }) => prefix),
    made.map(({ hash }) => hash),
  ]);
  const box = createSecretBox(parseEncryptionKeys(encryptionKey));
  const sealed = rows.map(({ id, endpoint }) =>
    box.seal(newSigningSecret(), { locationId: id, endpointId: endpoint }),
  );
  await client.query(sql.endpoints);
  await client.query(sql.secrets, [
    ids,
    rows.map(({ endpoint }) => endpoint),
    sealed.map(({ keyId }) => keyId),
    sealed.map((one) => one.sealed),
  ]);
}

/** Those of the tables $1 that no constraint needs. */
const keepIndexes = `create table bench_indexes as
  select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
  where i.indrelid::regclass::text = any ($1) and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`;

async function writeOrders(
  writers: readonly pg.Client[],
  size: Size,
  log: (line: string) => void,
): Promise<void> {
  const firstAfter = async (age: string) => {
    const rows = await writers[0]?.query<{ n: number }>(
      'select count(*)::int + 1 as n from bench_orders where moment <= now() - $1::interval',
      [age],
    );
    return rows?.rows[0]?.n ?? size.orders;
  };
  const steps = [
    { text: orders, from: 1 },
    { text: events, from: await firstAfter(`${keptDays} days`) },
    // As long as IDEMPOTENCY_TTL_HOURS says.
    { text: answers, from: await firstAfter('7 days') },
  ];
  let next = 1;
  const write = async (client: pg.Client) => {
    while (next <= size.orders) {
      const first = next;
      const last = Math.min(size.orders, first + chunk - 1);
      next = last + 1;
      await step(client, `orders from ${first}`, async () => {
        for (const { text, from } of steps)
          if (last >= from) await client.query(text, [Math.max(first, from), last]);
      });
      if (last % (20 * chunk) === 0) log(`${last} orders`);
    }
  };
  await Promise.all(writers.map(write));
}
