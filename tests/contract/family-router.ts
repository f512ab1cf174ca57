import { statement } from '@comanda/db';
import { z } from 'zod';
import { idempotentOperation, operation, router } from '../../packages/api/src/call/operation.ts';
import { inTransaction } from '../../packages/api/src/call/writing.ts';
import { onlyIn } from '../../packages/api/src/families.ts';
import { ById, page, paging } from '../../packages/api/src/wire.ts';

const Part = z
  .object({
    id: z.string(),
    name: z.string(),
    price: z.number(),
    ...onlyIn('v2', { barcode: z.string().optional().meta({ example: '7790' }) }),
    ...onlyIn('v1', { legacy_code: z.string().optional().meta({ example: 'L-1' }) }),
    maker: z.object({ id: z.string(), ...onlyIn('v2', { country: z.string() }) }).meta({ id: 'FamilyMaker' }),
  })
  .meta({ id: 'FamilyPart', description: 'A part.' });

const PartCreate = z
  .object({
    name: z.string(),
    ...onlyIn('v2', { barcode: z.string().max(8).optional().meta({ example: '7790' }) }),
    ...onlyIn('v1', { legacy_code: z.string().optional().meta({ example: 'L-1' }) }),
  })
  .meta({ id: 'FamilyPartCreate' });

/** A part as PostgreSQL writes it: with every field of both families, and the price as it is in its column. */
const readPart = statement<{ doc: string }>(
  'test_family_part',
  `select json_build_object('id', $1::text, 'name', $2::text, 'price', trim_scale(9999999999.90::numeric(12,2)), 'barcode', $3::text,
     'legacy_code', coalesce($4::text, 'L-9'), 'maker', json_build_object('id', 'm', 'country', 'UY'))::text as doc`,
);

/** The arguments of the services, last first. */
export const given: unknown[] = [];

/** A router with fields that one family alone has, in objects, lists, bodies and queries. */
export const familyRouter = router({
  parts: router({
    list: operation({ permission: null, summary: 'List', rest: ['GET /v1/parts', 'GET /v2/parts'] })
      .input(z.object({ ...paging, ...onlyIn('v2', { barcode: z.string().optional() }) }))
      .output(page(Part))
      .query(async ({ ctx, input }) => {
        given.unshift(input);
        const [one] = await ctx.app.database.run(readPart, ['1', 'One', '779', null]);
        return { text: `{"data":[${one?.doc}],"pagination":{"limit":50,"offset":0,"total":1}}` };
      }),
    get: operation({ permission: null, summary: 'Read', rest: ['GET /v1/parts/{id}', 'GET /v2/parts/{id}'] })
      .input(ById)
      .output(Part)
      .query(async ({ ctx, input }) => {
        const [one] = await ctx.app.database.run(readPart, [input.id, 'One', '779', null]);
        return { text: one?.doc ?? '' };
      }),
    exported: operation({
      permission: null,
      summary: 'Export',
      rest: ['GET /v1/exported-parts', 'GET /v2/exported-parts'],
    })
      .output(z.object({ total: z.int(), parts: z.array(Part) }).meta({ id: 'FamilyParts' }))
      .query(({ ctx }) => {
        async function* entries(): AsyncGenerator<string[], undefined> {
          for (const id of ['1', '2']) {
            const [one] = await ctx.app.database.run(readPart, [id, 'One', '779', null]);
            yield [one?.doc ?? ''];
          }
          return undefined;
        }
        return {
          stream: { head: { total: 2 }, list: 'parts', entries: entries(), close: async () => {} },
        };
      }),
    shown: operation({ permission: null, summary: 'Show', rest: ['GET /v1/shown', 'GET /v2/shown'] })
      .output(Part)
      .query(() => ({
        value: {
          id: '1',
          name: 'One',
          price: 1,
          barcode: '779',
          legacy_code: 'L',
          maker: { id: 'm', country: 'UY' },
        },
      })),
    create: idempotentOperation({
      permission: null,
      summary: 'Create',
      status: 201,
      rest: ['POST /v1/parts', 'POST /v2/parts'],
    })
      .input(PartCreate)
      .output(Part)
      .mutation(({ ctx, input }) => {
        given.unshift(input);
        return inTransaction(ctx, async (tx) => {
          const values = [crypto.randomUUID(), input.name, input.barcode ?? null, null];
          const [one] = await tx.run(readPart, values);
          return { text: one?.doc ?? '' };
        });
      }),
  }),
});
