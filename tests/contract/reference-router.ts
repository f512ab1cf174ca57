import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId, statement } from '@comanda/db';
import { z } from 'zod';
import { restHandler } from '../../packages/api/src/http/rest/adapter.ts';
import { referencesIn, refersTo } from '../../packages/api/src/references.ts';
import { operation, router } from '../../packages/api/src/request/operation.ts';
import { inTransaction } from '../../packages/api/src/request/writing.ts';
import { ById, Deleted, Id } from '../../packages/api/src/wire.ts';
import { type Told, toldBy } from '../api/told.ts';
import type { Answer, TestApi } from '../support/api.ts';

const Linked = z.object({ id: z.string() }).meta({ id: 'ReferenceLinked' });
const LinkAll = z.object({
  id: Id,
  category_id: refersTo('categories', Id).nullable().optional(),
  lines: z.array(z.object({ category_id: refersTo('categories', Id) })).default([]),
});

const link = statement(
  'test_link_categories',
  `insert into product_categories (location_id, product_id, category_id)
   select $1::uuid, $2::uuid, v.id from unnest($3::uuid[]) as v (id)`,
);
const drop = statement(
  'test_drop_method',
  'delete from payment_methods where location_id = $1::uuid and id = $2::uuid',
);

/** Its work asks nobody but the foreign keys of real tables. */
const referenceRouter = router({
  links: router({
    create: operation({ permission: null, summary: 'Link', rest: ['POST /v2/links/{id}'] })
      .input(LinkAll)
      .output(Linked)
      .mutation(({ ctx, input }) =>
        inTransaction(ctx, async (tx) => {
          const wanted = referencesIn(LinkAll, input).map(({ id }) => id);
          await tx.run(link, [ctx.caller.locationId, input.id, wanted]);
          return { value: { id: input.id } };
        }),
      ),
    delete: operation({ permission: null, summary: 'Drop', rest: ['DELETE /v2/links/{id}'] })
      .input(ById)
      .output(Deleted)
      .mutation(({ ctx, input }) =>
        inTransaction(ctx, async (tx) => {
          await tx.run(drop, [ctx.caller.locationId, input.id]);
          return { value: { id: input.id, deleted: true as const } };
        }),
      ),
  }),
});

/** Calls that router, served by the handler of the service; `route` is `POST /v2/links/<product>`. */
export async function callReferences(
  { app, key }: TestApi,
  route: string,
  body?: object,
  idempotencyKey?: string,
): Promise<Answer> {
  const server = createServer(restHandler(app, referenceRouter));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const [method = '', path = ''] = route.split(' ');
    const { port } = server.address() as AddressInfo;
    const { status, headers, ...answer } = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...{ authorization: `Bearer ${key.key}`, 'content-type': 'application/json', connection: 'close' },
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    }));
    return { status, headers, ...answer, body: JSON.parse(answer.text) };
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** What a program is told that refers to nothing, or deletes what others refer to. */
export const toldOfReference = async (api: TestApi, method: 'POST' | 'DELETE', id: string): Promise<Told> =>
  toldBy(await callReferences(api, `${method} /v2/links/${id}`, { category_id: newId() }));
