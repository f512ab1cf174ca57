import { operationsOf } from '@comanda/api';
import { appRouter } from '@comanda/api/router';
import { expect } from 'vitest';
import { z } from 'zod';
import { controls } from '../support/controls.ts';
import { createOrderKitchen } from '../support/orders.ts';
import type { Place } from '../support/place.ts';
import { openAs } from '../support/roles.ts';

/** The subject of the commands. */
export interface HostilePlace {
  location: string;
  key: string;
  order: string;
  endpoint: string;
  delivery: string;
  job: string;
  entry: string;
  /** The columns that hold controls, as `table.column`. */
  columns: string[];
}

/** Texts that no caller chooses, but that hold what others answered or called themselves. */
const ofOthers = ['error', 'response_body', 'application_name', 'actor_name', 'deed'];

/**
 * Fills a location of which then every text that a caller may choose, as the schemas of all operations have it, holds every control that
 * the schema lets through.
 */
export async function makeHostile(api: Place): Promise<HostilePlace> {
  const { pool, locationId: location } = api;
  const kitchen = await createOrderKitchen(api);
  // By hand, so that the audit has it as a change; an order then keeps it as the name of its line.
  await pool.query('update products set name = name || $2 where location_id = $1', [
    location,
    marksOf('name'),
  ]);
  const { id: order } = (await kitchen.place({
    items: [{ product_id: kitchen.productId, quantity: 1, comment: `hot${marksOf('comment')}` }],
    identifier: 'Table 4',
    channel: 'web',
    external_id: 'ERP-1',
  })) as { id: string };
  const { rows } = await pool.query<Omit<HostilePlace, 'location' | 'order' | 'columns'>>(made, [
    location,
    order,
    api.key.id,
  ]);
  const [ids] = rows;
  if (ids === undefined) throw new Error('nothing was made');
  return { ...ids, location, order, columns: await taint(api) };
}

/** No text of PostgreSQL holds a NUL. */
const storable = controls.slice(1);

/** Every text that a schema of an operation takes, by its name: the controls that it may hold. */
const accepted = new Map<string, Set<string>>();
for (const { input } of operationsOf(appRouter)) collect('', input);
for (const name of ofOthers) accepted.set(name, new Set(storable));

function collect(name: string, schema: z.ZodType): void {
  if (schema instanceof z.ZodObject)
    for (const [field, inner] of Object.entries(schema.shape)) collect(field, inner as z.ZodType);
  else if (schema instanceof z.ZodArray) collect(name, schema.element as z.ZodType);
  else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    collect(name, schema.unwrap() as z.ZodType);
  const marks = storable.filter((mark) =>
    [`a${mark}b`, `https://example.com/a${mark}b`].some((text) => schema.safeParse(text).success),
  );
  const known = accepted.get(name) ?? new Set();
  accepted.set(name, new Set([...known, ...marks]));
}

const marksOf = (name: string) => [...(accepted.get(name) ?? [])].join('');

async function taint({ app: { database }, locationId }: Place): Promise<string[]> {
  const client = await openAs(database.pool.options.connectionString ?? '', 'owner');
  const done: string[] = [];
  try {
    await client.query('begin');
    // This deed may do what guards refuse to a manual edit.
    await client.query(`select deed('repair: hostile texts')`);
    const { rows } = await client.query<{ table: string; column: string; place: string }>(columns);
    for (const { table, column, place } of rows) {
      const marks = marksOf(column);
      if (marks === '') continue;
      await client.query('savepoint one');
      const text = `update "${table}" set "${column}" = "${column}" || $2 where "${place}" = $1 and "${column}" <> ''`;
      const { rowCount } = await client
        .query(text, [locationId, marks])
        .catch(() => client.query('rollback to savepoint one'));
      if (rowCount !== null && rowCount > 0) done.push(`${table}.${column}`);
    }
    await client.query('commit');
  } finally {
    await client.end();
  }
  expect(done).toEqual(expect.arrayContaining(atLeast));
  return done;
}

/** Texts of it that the commands must print at least. */
const atLeast = [
  'api_keys.name',
  'locations.name',
  'products.name',
  'orders.identifier',
  'payment_methods.name',
  'webhook_attempts.error',
  'sync_jobs.error',
];

const columns = `
  select c.table_name as table, c.column_name as column, p.column_name as place
  from information_schema.columns c
  join information_schema.tables t using (table_schema, table_name)
  join information_schema.columns p on p.table_schema = c.table_schema and p.table_name = c.table_name
    and p.column_name = case when c.table_name = 'locations' then 'id' else 'location_id' end
  where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('text', 'character varying')
  order by 1, 2`;

const made = `
  with endpoint as (
    insert into webhook_endpoints (location_id, url, events) values ($1, 'http://127.0.0.1:9/hook', '{order.created}') returning id
  ), event as (
    insert into events (location_id, id, number, type, resource_id, body, created_at)
    select $1, uuid_v7(), coalesce(max(number), 0) + 1, 'order.created', $2, '{}', now() from events where location_id = $1 returning id
  ), delivery as (
    insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts)
    select $1, endpoint.id, event.id, 'dead', 5 from endpoint, event returning id, endpoint_id, event_id
  ), attempt as (
    insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status, error, duration_ms, attempted_at)
    select $1, id, endpoint_id, event_id, 'order.created', 5, 'dead', 'it said: ', 5, now() from delivery returning id
  ), job as (
    insert into sync_jobs (location_id, status, items, total_items, error, completed_at)
    values ($1, 'failed', '[]', 1, 'it broke at ', now()) returning id
  ), entry as (
    insert into audit_entries (location_id, actor_kind, api_key_id, operation) values ($1, 'api_key', $3, 'keys.update') returning id
  ) select $3::text as key, endpoint.id as endpoint, delivery.id as delivery, job.id as job, entry.id as entry
    from endpoint, delivery, job, entry`;
