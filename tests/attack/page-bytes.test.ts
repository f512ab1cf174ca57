import { followEvents, listAll } from '@comanda/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pageBytes } from '../../packages/db/src/bytes/bounds.ts';
import { useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { createLargeOrders } from '../support/large-orders.ts';

const mostEntries = 200;

/** Lists whose pages are bounded in bytes, since the largest would be larger: the table that holds entries, and how each way asks for them. */
const large: Readonly<Record<string, { fill: string; ways: readonly string[] }>> = {
  'orders.list': {
    fill: '',
    ways: [
      'include=details,items',
      'include=items&order=asc&status=pending',
      'include=details,items&updated_since=2020-01-01T00:00:00Z',
    ],
  },
  'products.list': { fill: '', ways: ['', 'search=p', 'updated_since=2020-01-01T00:00:00Z'] },
  'v1.products.list': { fill: '', ways: [''] },
  'events.list': { fill: '', ways: ['', 'types=order.updated,product.updated'] },
  'syncJobs.list': {
    fill: `insert into sync_jobs (location_id, total_items, errors)
      select $1, 1, jsonb_build_array(jsonb_build_object('index', 0, 'external_id', 'x', 'code', 'conflict', 'message', repeat('x', 900000))) from generate_series(1, 12)`,
    ways: [''],
  },
  'certifications.list': {
    fill: `insert into certifications (location_id, status, verdict, does, checks)
      select $1, 'failed', 'No.', '{"receives_webhooks":true,"reads_catalog":true,"reads_lists":true,"places_orders":true}',
        jsonb_build_array(jsonb_build_object('check', 'every_page', 'title', 'Every page', 'status', 'failed', 'reason', repeat('x', 900000),
          'done', '[]'::jsonb, 'seen', '[]'::jsonb, 'read', '/docs')) from generate_series(1, 12)`,
    ways: [''],
  },
  'audit.list': {
    fill: `insert into audit_entries (location_id, actor_kind, operation, relation, resource_id, row_count, changes)
      select $1, 'database', 'update', 'products', uuid_v7(), 1, jsonb_build_object('rows', jsonb_build_array(jsonb_build_object(
        'key', '{}'::jsonb, 'before', jsonb_build_object('description', repeat('x', 900000)), 'after', '{}'::jsonb))) from generate_series(1, 12)`,
    ways: [''],
  },
  'subselections.list': {
    fill: `with product as (
        insert into products (location_id, sku, name, price) values ($1, 'options', 'p', 1) returning location_id, id
      ), made as (
        insert into subselections (location_id, product_id, name)
        select location_id, id, 's' from product, generate_series(1, 12) returning location_id, id
      )
      insert into subselection_items (location_id, subselection_id, name, image_url)
      select location_id, id, 'i', 'http://a.example/' || repeat('é', 2000) from made, generate_series(1, 225)`,
    ways: [''],
  },
};

/** Lists that are read by the statement of one of these. */
const readAlike: Readonly<Record<string, keyof typeof large>> = { 'orders.search': 'orders.list' };

const lists = operations.filter(({ isList }) => isList);
const api = useApi();
beforeAll(async () => {
  const { locationId, app } = api;
  await createLargeOrders(app.database, { locationId, count: 12 });
  // Of half of them: every character is written as six.
  await api.sql(
    `insert into products (location_id, sku, name, price, description)
     select $1, 'large-' || n, 'p', 1, repeat(chr(1), n % 2 * 10000) from generate_series(1, 210) n`,
    [locationId],
  );
  await api.sql(
    `insert into events (location_id, id, number, type, resource_id, body, created_at)
     select $1, e.id, e.number, 'order.updated', e.order_id, '{"id":"' || e.id || '","type":"order.updated","api_version":"v2","created_at":"'
       || wire_time(now(), 'UTC') || '","location_id":"' || $1 || '","data":' || j.doc || '}', now()
     from (select uuid_v7() as id, o.id as order_id, row_number() over (order by o.number) as number from orders o where o.location_id = $1) e
     cross join lateral orders_json($1, array[e.order_id]) j`,
    [locationId],
  );
  for (const { fill } of Object.values(large)) if (fill !== '') await api.sql(fill, [locationId]);
}, 120_000);

describe.each(lists.filter(({ name }) => name in large))('a page of $name', ({ name, routes: [route] }) => {
  test.each(large[name]?.ways ?? [])(
    'is bounded in bytes, and the next ones bring each entry once: %s',
    async (way) => {
      const read = (place: string) =>
        route === undefined ? readTyped(name, place) : readRest(`GET ${route.path}?limit=200&${way}${place}`);
      const byNext = await walk(read, ({ next }) => next);
      expect(byNext.length).toBeGreaterThan(1);
      for (const { text, data } of byNext) {
        const largest = Math.max(...data.map((entry) => Buffer.byteLength(JSON.stringify(entry))));
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(pageBytes + largest + 1_024);
      }
      const ids = idsOf(byNext);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBe(byNext[0]?.pagination.total);
      // Until the last page each says how many it has; there are fewer then, or none.
      for (const { data, pagination } of byNext.slice(0, -1)) expect(data.length).toBe(pagination.limit);
      if (name === 'events.list' || way.includes('updated_since')) return;
      const byOffset = await walk(read, ({ pagination: { offset, limit, total } }) =>
        offset + limit < total ? `&offset=${offset + limit}` : undefined,
      );
      expect(idsOf(byOffset)).toEqual(ids);
    },
  );
});

test('the loops of the typed client read lists and the feed to their end, however short their pages are', async () => {
  const client = api.client();
  const read = async <Entry>(entries: AsyncIterable<Entry>) => {
    const found: Entry[] = [];
    for await (const entry of entries) found.push(entry);
    return found.length;
  };
  const { total } = (await client.products.list.query({ limit: 1 })).pagination;
  expect(total).toBeGreaterThan(200);
  expect(await read(listAll(client.products.list))).toBe(total);
  expect(await read(listAll(client.products.list, { updated_since: '2020-01-01T00:00:00Z' }))).toBe(total);
  expect(await read(listAll(client.orders.list, { include: ['details', 'items'] }))).toBe(12);
  // It pauses for hours where it takes a short page for the end.
  const ended = new AbortController();
  let events = 0;
  for await (const _ of followEvents(client, { everyMs: 3_600_000, signal: ended.signal })) {
    events += 1;
    if (events === 12) ended.abort();
  }
  expect(events).toBe(12);
});

interface Page {
  text: string;
  data: { id?: string; job_id?: string }[];
  pagination: { limit: number; offset: number; total: number; next?: string };
  next: string | undefined;
}

const idsOf = (pages: readonly Page[]) =>
  pages.flatMap(({ data }) => data.map(({ id, job_id }) => id ?? job_id));

async function walk(read: (place: string) => Promise<Page>, nextOf: (page: Page) => string | undefined) {
  const pages: Page[] = [];
  for (let place: string | undefined = ''; place !== undefined; ) {
    const page = await read(place);
    pages.push(page);
    place = nextOf(page);
  }
  return pages;
}

/** Where a page leads: its link, or for the feed its last event. */
async function readRest(route: string): Promise<Page> {
  const address = new URL(route.replace('GET ', ''), api.url);
  // Only the last of two counts: what a link has is asked for in place of what the first page was asked for.
  if (address.searchParams.has('cursor')) address.searchParams.delete('updated_since');
  const { status, text, body, headers } = await api.rest<Omit<Page, 'text' | 'next'>>(
    `GET ${address.pathname}${address.search}`,
  );
  expect({ status }).toEqual({ status: 200 });
  const link = /<[^?]+\?([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  const parameters = new URLSearchParams(link);
  const [offset, cursor] = [parameters.get('offset'), parameters.get('cursor')];
  const isOver = body.data.length < body.pagination.limit;
  if (address.pathname === '/v2/events')
    return { ...body, text, next: isOver ? undefined : `&after=${body.data.at(-1)?.id}` };
  if (cursor !== null) return { ...body, text, next: isOver ? undefined : `&cursor=${cursor}` };
  return { ...body, text, next: offset === null ? undefined : `&offset=${offset}` };
}

async function readTyped(name: string, place: string): Promise<Page> {
  const offset = Number(new URLSearchParams(place).get('offset') ?? 0);
  const { audit, subselections } = api.client();
  const list = name === 'audit.list' ? audit.list : subselections.list;
  const page = await list.query({ limit: mostEntries, offset });
  const { limit, total } = page.pagination;
  const next = offset + limit < total ? `&offset=${offset + limit}` : undefined;
  return { ...page, text: JSON.stringify(page), next };
}

/** The longest text of a field that no input bounds, in characters. */
const characters: Readonly<Record<string, number>> = {
  prefix: 64,
  batch_number: 20,
  // A host name may be in it; the first KiB of an answer, each byte a character.
  error: 600,
  response_body: 1_024,
  event_type: 40,
  permissions: 25,
  reason: 500,
  person: 255,
};
/** The longest text that an input takes for a field of this name. */
function givenCharacters(field: string): number | undefined {
  const lengths = inputs.flatMap((schema) => {
    const { maxLength, anyOf = [] } = schema.properties?.[field] ?? {};
    return [maxLength, ...anyOf.map((each) => each.maxLength)].filter((each) => each !== undefined);
  });
  return lengths.length === 0 ? undefined : Math.max(...lengths);
}
const inputs = operations.map(({ input }) => {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema;
  return named(schema, schema.$defs ?? {});
});

/** The most entries of an array that is shown. */
const entries: Readonly<Record<string, number>> = { permissions: 100, events: 40, include: 1 };
/** The largest size of a character as JSON: a control character is written as \u0001. */
const bytesOfCharacter = 6;

test.each(lists.filter(({ name }) => !(name in large) && !(name in readAlike)))(
  'the largest page of $name is no larger than the bound, or it is bounded in bytes',
  ({ output }) => {
    const schema = z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }) as Schema;
    const entry = schema.properties?.data?.items ?? {};
    expect(mostEntries * largest(entry, schema.$defs ?? {}, 'entry')).toBeLessThanOrEqual(pageBytes);
  },
);

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  type?: string;
  maxLength?: number;
  format?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  $defs?: Record<string, Schema>;
}

/** The schema itself, or that of the definition that it names. */
function named({ $ref, ...schema }: Schema, definitions: Readonly<Record<string, Schema>>): Schema {
  return $ref === undefined ? schema : (definitions[$ref.split('/').at(-1) ?? ''] ?? {});
}

/** How many bytes what a schema describes takes at most. Throws for a text or an array without a row above. */
function largest(given: Schema, definitions: Readonly<Record<string, Schema>>, name: string): number {
  const schema = named(given, definitions);
  const of = (inner: Schema, field: string) => largest(inner, definitions, field);
  if (schema.anyOf !== undefined) return Math.max(...schema.anyOf.map((inner) => of(inner, name)));
  if (schema.enum !== undefined) return Math.max(...schema.enum.map((value) => JSON.stringify(value).length));
  if (schema.type === 'object')
    return Object.entries(schema.properties ?? {}).reduce(
      (sum, [field, inner]) => sum + field.length + 4 + of(inner, field),
      2,
    );
  const [length, count] = [characters[name] ?? givenCharacters(name), entries[name]];
  if (schema.type === 'array' && count !== undefined) return 2 + count * (1 + of(schema.items ?? {}, name));
  if (schema.type === 'string' && length !== undefined) return 2 + bytesOfCharacter * length;
  if (schema.type === 'string' && (schema.format !== undefined || /(^|_)id$/.test(name))) return 60;
  if (schema.const !== undefined || /^(number|integer|boolean)$/.test(schema.type ?? '')) return 30;
  throw new Error(`how large ${name} can be is not known: give it a row, or bound the list in bytes`);
}
