import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId, statement } from '@comanda/db';
import { z } from 'zod';
import { operation, router } from '../../packages/api/src/call/operation.ts';
import { inTransaction } from '../../packages/api/src/call/writing.ts';
import { restHandler } from '../../packages/api/src/http/rest/adapter.ts';
import { referencesIn, refersTo } from '../../packages/api/src/references.ts';
import { ById, Deleted, Id } from '../../packages/api/src/wire.ts';
import { type Refusal, refusalIn } from '../api/refusals.ts';
import type { Answer, TestApi } from '../support/api.ts';
import { superuserUrl } from '../support/database.ts';
import { runOnce } from '../support/server.ts';

const Made = z.object({ id: z.string() }).meta({ id: 'ReferenceMade' });
const Given = z.object({
  maker_id: refersTo('test_makers', Id).nullable().optional(),
  lines: z.array(z.object({ maker_id: refersTo('test_makers', Id) })).default([]),
});

const insertParts = statement(
  'test_insert_parts',
  'insert into test_parts (location_id, maker_id) select $1::uuid, v.id from unnest($2::uuid[]) as v (id)',
);
const deleteMaker = statement(
  'test_delete_maker',
  'delete from test_makers where location_id = $1::uuid and id = $2::uuid',
);

/** Its work checks nothing but the foreign key between its tables. */
const referenceRouter = router({
  parts: router({
    create: operation({ permission: null, summary: 'Create', rest: ['POST /v2/parts'] })
      .input(Given)
      .output(Made)
      .mutation(({ ctx, input }) =>
        inTransaction(ctx, async (tx) => {
          const makers = referencesIn(Given, input).map(({ id }) => id);
          await tx.run(insertParts, [ctx.caller.locationId, makers]);
          return { value: { id: newId() } };
        }),
      ),
  }),
  makers: router({
    delete: operation({ permission: null, summary: 'Delete', rest: ['DELETE /v2/makers/{id}'] })
      .input(ById)
      .output(Deleted)
      .mutation(({ ctx, input: { id } }) =>
        inTransaction(ctx, async (tx) => {
          await tx.run(deleteMaker, [ctx.caller.locationId, id]);
          return { value: { id, deleted: true as const } };
        }),
      ),
  }),
});

const tables = `
  create table if not exists test_makers (location_id uuid, id uuid default uuid_v7(), primary key (location_id, id));
  create table if not exists test_parts (location_id uuid, id uuid default uuid_v7(), maker_id uuid, primary key (location_id, id),
    constraint test_parts_maker foreign key (location_id, maker_id) references test_makers (location_id, id) on delete restrict);
  grant select, insert, update, delete on test_makers, test_parts to public`;

/** Makes a maker, at the location of the key or at another. */
export async function makeMaker({ app, databaseUrl, locationId }: TestApi, at = locationId): Promise<string> {
  await runOnce(superuserUrl(databaseUrl), tables);
  const id = newId();
  await app.database.pool.query('insert into test_makers (location_id, id) values ($1, $2)', [at, id]);
  return id;
}

/** Calls that router, served by the handler of the service; `route` is `POST /v2/parts`. */
export async function callReferences(
  { app, key }: TestApi,
  route: string,
  body: object = {},
  idempotencyKey?: string,
): Promise<Answer> {
  const server = createServer(restHandler(app, referenceRouter));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const [method = '', path = ''] = route.split(' ');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key.key}`,
        'content-type': 'application/json',
        connection: 'close',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** The answer to a program that names a maker that does not exist. */
export async function refusalOfUnknown(api: TestApi): Promise<Refusal> {
  await makeMaker(api);
  return refusalIn(await callReferences(api, 'POST /v2/parts', { maker_id: newId() }));
}

/** The answer to a program that deletes a maker that parts refer to. */
export async function refusalOfReferred(api: TestApi): Promise<Refusal> {
  const maker_id = await makeMaker(api);
  await callReferences(api, 'POST /v2/parts', { maker_id });
  return refusalIn(await callReferences(api, `DELETE /v2/makers/${maker_id}`));
}
