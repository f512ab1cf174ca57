import { statfsSync } from 'node:fs';
import { newApiKey } from '@comanda/api/services';
import { createSecretBox, newSigningSecret, parseEncryptionKeys } from '@comanda/db';
import pg from 'pg';
import { counts } from './counts.statements.ts';
import { answers, events, orders } from './orders.statements.ts';
import * as sql from './places.statements.ts';
import { keptDays, type Size } from './sizes.ts';

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

/** What a database is filled with. */
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
 * and what triggers count. Rows are written in the order of time, as life writes them, so those of a location lie apart.
 */
export async function fillDatabase(
  url: string,
  { directory, size, encryptionKey, log }: Filling,
): Promise<void> {
  const writers = await Promise.all(Array.from({ length: lanes }, () => connect(url)));
  const [client] = writers;
  if (client === undefined) return;
  try {
    await makePlaces(client, size, encryptionKey);
    log(`${size.locations} locations`);
    await client.query(sql.draftOrders, [size.orders, size.days, size.ranks]);
    await client.query('create unique index on bench_orders (n); analyze bench_orders');
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
  const indexes = await dropIndexes(client);
  await writeOrders(writers, size, log);
  await share(writers, counts);
  log('counts');
  await client.query('drop table bench_orders, bench_places');
  await share(
    writers,
    indexes.map(({ definition }) => definition),
  );
  log(`${indexes.length} indexes`);
  await share(
    writers,
    busy.split(' ').map((table) => `vacuum analyze ${table}`),
  );
  await client.query('vacuum analyze');
  log('vacuumed and analyzed');
}

/** Each takes the next statement when it is done with one. */
async function share(writers: readonly pg.Client[], texts: readonly string[]): Promise<void> {
  const left = [...texts];
  const work = async (client: pg.Client) => {
    for (let text = left.shift(); text !== undefined; text = left.shift()) await client.query(text);
  };
  await Promise.all(writers.map(work));
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

/** Gives the definitions of those that are gone. */
async function dropIndexes(client: pg.Client): Promise<{ name: string; definition: string }[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
     where i.indrelid::regclass::text = any ($1) and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [busy.split(' ')],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows;
}

async function writeOrders(
  writers: readonly pg.Client[],
  size: Size,
  log: (line: string) => void,
): Promise<void> {
  const firstAfter = async (age: string) => {
    const rows = await writers[0]?.query<{ n: number }>(
      'select min(n) as n from bench_orders where moment > now() - $1::interval',
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
      for (const { text, from } of steps)
        if (last >= from) await client.query(text, [Math.max(first, from), last]);
      if (last % (20 * chunk) === 0) log(`${last} orders`);
    }
  };
  await Promise.all(writers.map(write));
}
