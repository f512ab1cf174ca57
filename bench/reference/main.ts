import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import pg from 'pg';

// The reference: fastify and pg by hand, prepared statements, JSON built by PostgreSQL and sent as it is. The
// location is in the path, since there is no authentication here.

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const server = Fastify({ logger: false });
const json = 'application/json; charset=utf-8';

interface ById {
  Params: { location: string; id: string };
}

async function text(name: string, sql: string, values: unknown[]): Promise<string> {
  const { rows } = await pool.query({ name, text: sql, values });
  return rows[0]?.text ?? 'null';
}

server.get<ById>('/:location/products/:id', async ({ params }, reply) => {
  const { location, id } = params;
  const doc = await text('product', 'select doc::text as text from product_json($1::uuid, array[$2::uuid])', [
    location,
    id,
  ]);
  return reply.type(json).send(`{"data":${doc}}`);
});

server.get<{ Params: { location: string }; Querystring: { limit?: string; offset?: string } }>(
  '/:location/products',
  async ({ params, query }, reply) => {
    const { limit = '50', offset = '0' } = query;
    const page = await text(
      'products',
      `with page as materialized (
         select id, name from product where location_id = $1 order by name, id limit $2 offset $3
       )
       select '{"data":' || coalesce(json_agg(j.doc order by page.name, page.id), '[]')::text
         || ',"pagination":{"limit":' || $2 || ',"offset":' || $3 || ',"total":'
         || (select products from location where id = $1) || '}}' as text
       from page, lateral product_json($1, array[page.id]) j`,
      [params.location, Number(limit), Number(offset)],
    );
    return reply.type(json).send(page);
  },
);

server.get<ById>('/:location/orders/:id', async ({ params }, reply) => {
  const { location, id } = params;
  const doc = await text('order', 'select doc::text as text from order_json($1::uuid, array[$2::uuid])', [
    location,
    id,
  ]);
  return reply.type(json).send(`{"data":${doc}}`);
});

server.post<{ Params: { location: string } }>('/:location/orders', async ({ params, body }, reply) => {
  const doc = await text('create', 'select create_order($1::uuid, $2::uuid, $3::json) as text', [
    params.location,
    randomUUID(),
    JSON.stringify(body),
  ]);
  return reply.code(201).type(json).send(`{"data":${doc}}`);
});

/** A list of documents that a function of the database makes, with the count of the table as its total. */
const listed = (name: string, table: string, order: string, document: string) =>
  server.get<{ Params: { location: string }; Querystring: { limit?: string; offset?: string } }>(
    `/:location/${name}`,
    async ({ params, query }, reply) => {
      const { limit = '50', offset = '0' } = query;
      const page = await text(
        `list ${name}`,
        `with page as materialized (
           select *, row_number() over (order by ${order}) as place from ${table} where location_id = $1
           order by ${order} limit $2 offset $3
         )
         select '{"data":' || coalesce(json_agg(${document} order by p.place), '[]')::text
           || ',"pagination":{"limit":' || $2 || ',"offset":' || $3 || ',"total":'
           || (select count(*) from ${table} where location_id = $1) || '}}' as text from page p`,
        [params.location, Number(limit), Number(offset)],
      );
      return reply.type(json).send(page);
    },
  );

listed(
  'orders',
  'orders',
  'created_at desc, id desc',
  "json_build_object('id', p.id, 'number', p.number, 'status', p.status, 'total', p.total, 'created_at', p.created_at)",
);
listed(
  'payments',
  'payment',
  'id desc',
  "json_build_object('id', p.id, 'order_id', p.order_id, 'amount', p.amount, 'status', p.status)",
);
listed(
  'stock',
  'product_stock',
  'product_id',
  `(select json_build_object('product_id', r.id, 'sku', r.sku, 'name', r.name, 'stock', json_build_object(
     'enabled', p.enabled, 'quantity', p.quantity, 'min_stock_alarm', p.min_stock_alarm))
    from product r where r.location_id = p.location_id and r.id = p.product_id)`,
);
const category = `json_build_object('id', p.id, 'external_id', p.external_id, 'name', p.name, 'priority', p.priority)`;
listed('categories', 'category', 'priority, name, id', category);

/** Reads one, or writes one and reads it. */
const one = (
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  sql: string,
  values: (body: never) => unknown[],
) =>
  server.route<ById>({
    method,
    url: `/:location/${path}`,
    async handler({ params: { location, id }, body }, reply) {
      const given = [location, ...(id === undefined ? [] : [id]), ...values(body as never)];
      return reply.type(json).send(`{"data":${await text(`${method} ${path}`, sql, given)}}`);
    },
  });

one(
  'GET',
  'payments/:id',
  `select json_build_object('id', id, 'order_id', order_id, 'amount', amount, 'status', status)::text
  as text from payment where location_id = $1 and id = $2`,
  () => [],
);
one(
  'GET',
  'categories/:id',
  `select ${category}::text as text from category p where location_id = $1 and id = $2`,
  () => [],
);
one(
  'POST',
  'categories',
  `insert into category as p (location_id, id, name, priority) values ($1, gen_random_uuid(), $2, $3)
   returning ${category}::text as text`,
  ({ name, priority }: { name: string; priority: number }) => [name, priority],
);
one(
  'PATCH',
  'orders/:id',
  `with moved as (update orders set status = $3 where location_id = $1 and id = $2 returning id)
   select doc::text as text from moved, order_json($1, array[moved.id])`,
  ({ status }: { status: string }) => [status],
);
// A function is planned once; the row that it reads is the one that the statement before it wrote.
one(
  'PATCH',
  'products/:id',
  'select set_price($1::uuid, $2::uuid, $3) as text',
  ({ price }: { price: number }) => [price],
);
one('POST', 'products', 'select create_product($1::uuid, $2::json) as text', (body: unknown) => [
  JSON.stringify(body),
]);

server.get<{ Params: { location: string } }>('/:location/catalog', async ({ params }, reply) => {
  const tree = await text('catalog', 'select catalog_text($1::uuid) as text', [params.location]);
  return reply.type(json).send(`{"data":{"categories":${tree}}}`);
});

// The cost of sending alone: the answer to a caller that has the catalog already, from memory.
server.get('/unchanged', (_request, reply) => reply.code(304).header('etag', '"unchanged"').send());

await server.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 0) });
const { port } = server.server.address() as AddressInfo;
process.send?.({ ready: true, url: `http://127.0.0.1:${port}` });
for (const signal of ['SIGTERM', 'disconnect'] as const) process.once(signal, () => process.exit(0));
