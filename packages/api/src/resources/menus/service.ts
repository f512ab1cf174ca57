import { isId, newId, type Queryable, type Transaction } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { audit } from '../../call/audit.ts';
import type { CallContext } from '../../call/context.ts';
import { repeatingRaces } from '../../call/races.ts';
import { tagOfRow } from '../../call/tags.ts';
import { inTransaction } from '../../call/writing.ts';
import { invalid, notFound } from '../../errors.ts';
import type { Menu, MenuCreate, MenuUpdate } from './schema.ts';
import * as sql from './statements.ts';

/** Reads the published one, without the categories that are hidden. Throws `resource_not_found` when none is. */
export async function getActive(ctx: CallContext): Promise<Answer<Menu>> {
  const [found] = await ctx.app.database.run(sql.readActiveMenu, [ctx.caller.locationId]);
  if (found === undefined) throw notFound('Active menu');
  return { text: found.doc, etag: tagOfRow(found.id, found.revision) };
}

/** Creates one, not published yet. Throws `validation_error` for an unknown category. */
export function create(ctx: CallContext, { name, category_ids = [] }: MenuCreate): Promise<Answer<Menu>> {
  const key: Key = [ctx.caller.locationId, newId()];
  return inTransaction(ctx, async (tx) => {
    const categoryIds = await knownCategories(tx, key, category_ids);
    tx.send(sql.insertMenu, [...key, name]);
    tx.send(sql.insertLinks, [...key, categoryIds]);
    const { menu, etag } = await read(tx, key);
    audit(tx, ctx, 'menus.create', menu.id, { before: null, after: menu });
    return { value: menu, etag };
  });
}

/** Changes the fields that are present. Throws `resource_not_found`, `validation_error` for an unknown category. */
export function update(ctx: CallContext, { id, name, category_ids }: MenuUpdate): Promise<Answer<Menu>> {
  if (!isId(id)) throw notFound('Menu');
  const key: Key = [ctx.caller.locationId, id];
  const holdCategories = (tx: Transaction) =>
    tx.run(sql.holdCategories, [key[0], category_ids?.filter(isId)]);
  const change = async (tx: Transaction): Promise<Answer<Menu>> => {
    const categoryIds = category_ids && (await knownCategories(tx, key, category_ids));
    tx.send(sql.lockMenus, [ctx.caller.locationId]);
    const { menu: before } = await read(tx, key);
    if (name !== undefined) tx.send(sql.renameMenu, [...key, name]);
    if (categoryIds !== undefined && categoryIds.join() !== before.categories.map(({ id }) => id).join()) {
      tx.send(sql.removeLinks, key);
      tx.send(sql.insertLinks, [...key, categoryIds]);
    }
    const { menu: after, etag } = await read(tx, key);
    audit(tx, ctx, 'menus.update', id, { before, after });
    return { value: after, etag };
  };
  return inTransaction(ctx, change, category_ids === undefined ? undefined : holdCategories);
}

/** Publishes one and takes the published one back, in one transaction. Throws `resource_not_found`. */
export function publish(ctx: CallContext, id: string): Promise<Answer<Menu>> {
  if (!isId(id)) throw notFound('Menu');
  const key: Key = [ctx.caller.locationId, id];
  // A menu that is made and published meanwhile was not there to be locked: Postgres refuses the second.
  return repeatingRaces(() =>
    inTransaction(ctx, async (tx) => {
      tx.send(sql.lockMenus, [ctx.caller.locationId]);
      const { menu: before } = await read(tx, key);
      tx.send(sql.takeBackMenus, key);
      tx.send(sql.publishMenu, key);
      const { menu: after, etag } = await read(tx, key);
      audit(tx, ctx, 'menus.publish', id, { before, after });
      return { value: after, etag };
    }),
  );
}

/** Its location and its id. */
type Key = readonly [locationId: string, id: string];

async function read(tx: Queryable, key: Key): Promise<{ menu: Menu; etag: string }> {
  const [found] = await tx.run(sql.readMenu, key);
  if (found === undefined) throw notFound('Menu');
  return { menu: JSON.parse(found.doc) as Menu, etag: tagOfRow(found.id, found.revision) };
}

async function knownCategories(tx: Queryable, [locationId]: Key, ids: readonly string[]): Promise<string[]> {
  const found = await tx.run(sql.holdCategories, [locationId, ids.filter(isId)]);
  const known = new Set(found.map(({ id }) => id));
  const faults = ids.flatMap((id, index) =>
    known.has(id)
      ? []
      : [
          {
            path: `category_ids[${index}]`,
            message: 'unknown category',
            reason: 'unknown_category' as const,
          },
        ],
  );
  if (faults.length > 0) throw invalid(faults);
  return [...new Set(ids)];
}
