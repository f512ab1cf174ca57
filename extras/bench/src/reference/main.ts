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

server.patch<ById & { Body: { status: string } }>(
  '/:location/orders/:id',
  async ({ params, body }, reply) => {
    const doc = await text(
      'move',
      `with moved as (update orders set status = $3 where location_id = $1 and id = $2 returning id)
     select doc::text as text from moved, order_json($1, array[moved.id])`,
      [params.location, params.id, body.status],
    );
    return reply.type(json).send(`{"data":${doc}}`);
  },
);

// The cost of sending alone: the answer to a caller that has the catalog already, from memory.
server.get('/unchanged', (_request, reply) => reply.code(304).header('etag', '"unchanged"').send());

await server.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 0) });
const { port } = server.server.address() as AddressInfo;
process.send?.({ ready: true, url: `http://127.0.0.1:${port}` });
for (const signal of ['SIGTERM', 'disconnect'] as const) process.once(signal, () => process.exit(0));
