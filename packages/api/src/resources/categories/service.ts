import { isId, isState, type Statement } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { readPage } from '../../call/page-text.ts';
import { repeatingDeadlocks } from '../../call/races.ts';
import { tagOfRow } from '../../call/tags.ts';
import { inTransaction } from '../../call/writing.ts';
import { conflict, notFound, takenUntilNow } from '../../errors.ts';
import type { Deleted } from '../../wire.ts';
import { removeOne } from '../bulk/service.ts';
import { type ChangesPage, wantsDeleted } from '../changes/schema.ts';
import { readChanges, readsChanges } from '../changes/service.ts';
import type { Category, CategoryCreate, CategoryList, CategoryUpdate } from './schema.ts';
import type { CategoryText } from './statements.ts';
import * as sql from './statements.ts';

/** Lists categories by priority, name, id; or what has changed. */
export async function list(ctx: CallContext, input: CategoryList): Promise<Answer<ChangesPage<Category>>> {
  if (readsChanges(input)) return readChanges(ctx, input, sql.categoryChanges(wantsDeleted(input)));
  return readPage(ctx, sql.listCategories, input);
}

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<Category>> {
  return answer(isId(id) ? await ctx.app.database.run(sql.readCategory, [ctx.caller.locationId, id]) : []);
}

/** Reads one by the caller's own identifier. Throws `resource_not_found`. */
export async function getByExternalId(ctx: CallContext, externalId: string): Promise<Answer<Category>> {
  return answer(
    await ctx.app.database.run(sql.readCategoryByExternalId, [ctx.caller.locationId, externalId]),
  );
}

/** Creates one. Throws `conflict` when the `external_id` is taken. */
export function create(ctx: CallContext, input: CategoryCreate): Promise<Answer<Category>> {
  const { external_id = null, name, priority, visible, image_url = '' } = input;
  return write(ctx, external_id, sql.insertCategory, [external_id, name, priority, visible, image_url]);
}

/** Changes the fields that are present. Throws `resource_not_found`, `conflict`. */
export async function update(
  ctx: CallContext,
  { id, ...changes }: CategoryUpdate,
): Promise<Answer<Category>> {
  if (!isId(id)) throw notFound('Category');
  if (changes.image_url === null) changes.image_url = '';
  return write(ctx, changes.external_id, sql.updateCategory, [id, JSON.stringify(changes)]);
}

/** Deletes one; its products stay. Throws `resource_not_found`. */
export async function remove(ctx: CallContext, id: string): Promise<Answer<Deleted>> {
  if (!isId(id)) throw notFound('Category');
  return removeOne(ctx, 'categories', id);
}

function answer([found]: readonly CategoryText[]): Answer<Category> {
  if (found === undefined) throw notFound('Category');
  return { text: found.doc, etag: tagOfRow(found.id, found.revision) };
}

async function write(
  ctx: CallContext,
  externalId: string | null | undefined,
  statement: Statement<CategoryText>,
  values: readonly unknown[],
): Promise<Answer<Category>> {
  try {
    return await repeatingDeadlocks(() =>
      inTransaction(ctx, async (tx) => answer(await tx.run(statement, [ctx.caller.locationId, ...values]))),
    );
  } catch (error) {
    if (!isState(error, 'taken')) throw error;
    const found = await ctx.app.database.run(sql.readCategoryByExternalId, [
      ctx.caller.locationId,
      externalId,
    ]);
    if (found[0] === undefined) throw takenUntilNow('external_id', error);
    const { id } = JSON.parse(found[0].doc) as Category;
    const message = `external_id ${externalId} is taken by category ${id}.`;
    throw conflict('external_id_taken', message, { collection: 'categories', id });
  }
}
