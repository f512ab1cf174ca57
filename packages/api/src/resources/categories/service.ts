import { isId, type PrismaTransaction, type rows, sqlState } from '@comanda/db';
import { conflict, notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { repeatingDeadlocks } from '../../request/races.ts';
import { inPrismaTransaction, inStatement } from '../../request/writing.ts';
import type { Deleted, Page } from '../../wire.ts';
import { removeOne } from '../bulk/engine.ts';
import type { Category, CategoryCreate, CategoryUpdate } from './schema.ts';

/** Lists categories by priority, name, id. */
export async function list(
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<Category>>> {
  const where = { locationId: ctx.caller.locationId };
  const [total, found] = await ctx.reads.prisma(
    ({ category }) => category.count({ where }),
    ({ category }) =>
      category.findMany({
        where,
        orderBy: [{ priority: 'asc' }, { name: 'asc' }, { id: 'asc' }],
        skip: paging.offset,
        take: paging.limit,
      }),
  );
  return { value: { data: found.map(toCategory), pagination: { ...paging, total } } };
}

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<Category>> {
  return { value: await read(ctx, ctx.app.database.prisma, id) };
}

/** Reads one by the caller's own identifier. Throws `resource_not_found`. */
export async function getByExternalId(ctx: CallContext, externalId: string): Promise<Answer<Category>> {
  const found = await ctx.app.database.prisma.category.findUnique({
    where: { locationId_externalId: { locationId: ctx.caller.locationId, externalId } },
  });
  if (found === null) throw notFound('Category');
  return { value: toCategory(found) };
}

/** Creates one. Throws `conflict` when the `external_id` is taken. */
export async function create(ctx: CallContext, input: CategoryCreate): Promise<Answer<Category>> {
  return refusingTaken(input.external_id, () =>
    inPrismaTransaction(ctx, async (tx) => {
      const created = await tx.category.create({
        data: {
          locationId: ctx.caller.locationId,
          externalId: input.external_id ?? null,
          name: input.name,
          priority: input.priority,
          visible: input.visible,
          imageUrl: input.image_url ?? '',
        },
      });
      return { value: toCategory(created) };
    }),
  );
}

/** Changes the fields that are present. Throws `resource_not_found`, `conflict`. */
export async function update(
  ctx: CallContext,
  { id, ...changes }: CategoryUpdate,
): Promise<Answer<Category>> {
  const current = await read(ctx, ctx.app.database.prisma, id);
  const { external_id, image_url, name, priority, visible } = changes;
  if (Object.values(changes).every((value) => value === undefined))
    return inStatement(ctx, async () => ({ value: current }));
  return refusingTaken(external_id, () =>
    inPrismaTransaction(ctx, async (tx) => {
      const [updated] = await tx.category.updateManyAndReturn({
        where: key(ctx, id),
        data: {
          ...(external_id !== undefined && { externalId: external_id }),
          ...(image_url !== undefined && { imageUrl: image_url ?? '' }),
          ...(name !== undefined && { name }),
          ...(priority !== undefined && { priority }),
          ...(visible !== undefined && { visible }),
        },
      });
      if (updated === undefined) throw notFound('Category');
      return { value: toCategory(updated) };
    }),
  );
}

/** Deletes one; its products stay. Throws `resource_not_found`. */
export async function remove(ctx: CallContext, id: string): Promise<Answer<Deleted>> {
  if (!isId(id)) throw notFound('Category');
  return removeOne(ctx, 'categories', id);
}

const key = (ctx: CallContext, id: string) => ({ locationId: ctx.caller.locationId, id });

async function read(
  ctx: CallContext,
  on: Pick<PrismaTransaction, 'category'>,
  id: string,
): Promise<Category> {
  const found = isId(id) ? await on.category.findUnique({ where: { locationId_id: key(ctx, id) } }) : null;
  if (found === null) throw notFound('Category');
  return toCategory(found);
}

async function refusingTaken<T>(externalId: string | null | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await repeatingDeadlocks(write);
  } catch (error) {
    if (sqlState(error)?.code === '23505')
      throw conflict(`external_id ${externalId} is taken by another category.`);
    throw error;
  }
}

function toCategory(row: rows.Category): Category {
  return {
    id: row.id,
    ...(row.externalId !== null && { external_id: row.externalId }),
    name: row.name,
    priority: row.priority,
    visible: row.visible,
    image_url: row.imageUrl,
  };
}
