import { isId, type Statement, sqlState } from '@comanda/db';
import { conflict, notFound } from '../../errors.ts';
import type { CallContext } from '../../request/context.ts';
import { answerText } from '../../request/idempotency.ts';
import { answerPage } from '../../request/page-text.ts';
import { repeatingDeadlocks } from '../../request/races.ts';
import type { Page } from '../../wire.ts';
import { removeOne } from '../bulk/engine.ts';
import type { Category, CategoryCreate, CategoryUpdate } from './schema.ts';
import type { CategoryText } from './statements.ts';
import * as sql from './statements.ts';

/** Lists categories by priority, name, id. */
export const list = (ctx: CallContext, paging: { limit: number; offset: number }): Promise<Page<Category>> =>
  answerPage(ctx, sql.listCategories, paging);

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Category> {
  return answer(
    ctx,
    isId(id) ? await ctx.app.database.run(sql.readCategory, [ctx.caller.locationId, id]) : [],
  );
}

/** Reads one by the caller's own identifier. Throws `resource_not_found`. */
export async function getByExternalId(ctx: CallContext, externalId: string): Promise<Category> {
  const values = [ctx.caller.locationId, externalId];
  return answer(ctx, await ctx.app.database.run(sql.readCategoryByExternalId, values));
}

/** Creates one. Throws `conflict` when the `external_id` is taken. */
export function create(ctx: CallContext, input: CategoryCreate): Promise<Category> {
  const { external_id = null, name, priority, visible, image_url = '' } = input;
  return write(ctx, external_id, sql.insertCategory, [external_id, name, priority, visible, image_url]);
}

/** Changes the fields that are present. Throws `resource_not_found`, `conflict`. */
export async function update(ctx: CallContext, { id, ...changes }: CategoryUpdate): Promise<Category> {
  if (!isId(id)) throw notFound('Category');
  if (changes.image_url === null) changes.image_url = '';
  return write(ctx, changes.external_id, sql.updateCategory, [id, JSON.stringify(changes)]);
}

/** Deletes one; its products stay. Throws `resource_not_found`. */
export async function remove(ctx: CallContext, id: string): Promise<{ id: string; deleted: true }> {
  if (!isId(id)) throw notFound('Category');
  if (!(await removeOne(ctx, 'categories', id))) throw notFound('Category');
  return { id, deleted: true };
}

function answer(ctx: CallContext, [found]: readonly CategoryText[]): Category {
  if (found === undefined) throw notFound('Category');
  return answerText(ctx, found.doc);
}

async function write(
  ctx: CallContext,
  externalId: string | null | undefined,
  statement: Statement<CategoryText>,
  values: readonly unknown[],
): Promise<Category> {
  try {
    const written = await repeatingDeadlocks(() =>
      ctx.app.database.transaction(ctx.requestId, (tx) =>
        tx.run(statement, [ctx.caller.locationId, ...values]),
      ),
    );
    return answer(ctx, written);
  } catch (error) {
    if (sqlState(error)?.code === '23505')
      throw conflict(`external_id ${externalId} is taken by another category.`);
    throw error;
  }
}
