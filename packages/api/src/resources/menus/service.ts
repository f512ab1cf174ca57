import { isId, newId, type Prisma, type PrismaTransaction, statement } from '@comanda/db';
import { invalid, notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import { audit } from '../../request/audit.ts';
import type { CallContext } from '../../request/context.ts';
import { repeatingRaces } from '../../request/races.ts';
import { inPrismaTransaction } from '../../request/writing.ts';
import type { Menu, MenuCreate, MenuUpdate } from './schema.ts';

/** Reads the published one, without the categories that are hidden. Throws `resource_not_found` when none is. */
export async function getActive(ctx: CallContext): Promise<Answer<Menu>> {
  const [found] = await ctx.app.database.run(readActiveMenu, [ctx.caller.locationId]);
  if (found === undefined) throw notFound('Active menu');
  return { text: found.doc };
}

const readActiveMenu = statement<{ doc: string }>(
  'read_active_menu',
  `select '{"id":"' || m.id || '","name":' || to_json(m.name)::text || ',"version":' || m.version || ',"is_published":true,"categories":['
     || coalesce((select string_agg('{"id":"' || c.id || '","name":' || to_json(c.name)::text || '}', ',' order by l.position, c.id)
       from menu_categories l cross join lateral (
         select k.id, k.name from categories k where k.location_id = l.location_id and k.id = l.category_id and k.visible limit 1) c
       where l.location_id = m.location_id and l.menu_id = m.id), '') || ']}' as doc
   from menus m where m.location_id = $1::uuid and m.is_published`,
);

/** Creates one, not published yet. Throws `validation_error` for an unknown category. */
export function create(ctx: CallContext, { name, category_ids = [] }: MenuCreate): Promise<Answer<Menu>> {
  const id = newId();
  return inPrismaTransaction(ctx, async (tx) => {
    const categoryIds = await knownCategories(tx, ctx, category_ids);
    await tx.menu.create({ data: { ...key(ctx, id), name } });
    await setCategories(tx, ctx, id, categoryIds);
    const made = await read(tx, ctx, id);
    await audit(tx, ctx, 'menus.create', id, { before: null, after: made });
    return { value: made };
  });
}

/** Changes the fields that are present. Throws `resource_not_found`, `validation_error` for an unknown category. */
export function update(ctx: CallContext, { id, name, category_ids }: MenuUpdate): Promise<Answer<Menu>> {
  if (!isId(id)) throw notFound('Menu');
  return inPrismaTransaction(ctx, async (tx) => {
    const categoryIds = category_ids && (await knownCategories(tx, ctx, category_ids));
    await lockMenus(tx, ctx);
    const before = await read(tx, ctx, id);
    if (name !== undefined && name !== before.name)
      await tx.menu.updateMany({ where: key(ctx, id), data: { name } });
    if (categoryIds !== undefined && categoryIds.join() !== before.categories.map(({ id }) => id).join()) {
      await tx.menuCategory.deleteMany({ where: { locationId: ctx.caller.locationId, menuId: id } });
      await setCategories(tx, ctx, id, categoryIds);
    }
    const after = await read(tx, ctx, id);
    await audit(tx, ctx, 'menus.update', id, { before, after });
    return { value: after };
  });
}

/** Publishes one and takes the published one back, in one transaction. Throws `resource_not_found`. */
export function publish(ctx: CallContext, id: string): Promise<Answer<Menu>> {
  if (!isId(id)) throw notFound('Menu');
  // A menu that is made and published meanwhile was not there to be locked: Postgres refuses the second.
  return repeatingRaces(() =>
    inPrismaTransaction(ctx, async (tx) => {
      await lockMenus(tx, ctx);
      const before = await read(tx, ctx, id);
      await tx.menu.updateMany({
        where: { locationId: ctx.caller.locationId, isPublished: true, id: { not: id } },
        data: { isPublished: false },
      });
      await tx.menu.updateMany({
        where: key(ctx, id),
        data: { isPublished: true, publishedAt: new Date(), version: { increment: 1 } },
      });
      const after = await read(tx, ctx, id);
      await audit(tx, ctx, 'menus.publish', id, { before, after });
      return { value: after };
    }),
  );
}

const key = (ctx: CallContext, id: string) => ({ locationId: ctx.caller.locationId, id });

const shown = {
  categories: {
    include: { category: { select: { id: true, name: true } } },
    orderBy: [{ position: 'asc' }, { categoryId: 'asc' }],
  },
} satisfies Prisma.MenuInclude;

async function read(tx: PrismaTransaction, ctx: CallContext, id: string): Promise<Menu> {
  const found = await tx.menu.findUnique({ where: { locationId_id: key(ctx, id) }, include: shown });
  if (found === null) throw notFound('Menu');
  return toMenu(found);
}

// All of the location: of two publications, or changes of one menu, the second sees what the first did.
async function lockMenus(tx: PrismaTransaction, ctx: CallContext): Promise<void> {
  await tx.$queryRaw`
    select 1 from menus where location_id = ${ctx.caller.locationId}::uuid order by id for update`;
}

// Locked against deletion, so that the links below always find them.
async function knownCategories(
  tx: PrismaTransaction,
  ctx: CallContext,
  ids: readonly string[],
): Promise<string[]> {
  const found = await tx.$queryRaw<{ id: string }[]>`
    select c.id from (select * from unnest(${ids.filter(isId)}::uuid[]) as v (id) order by 1) v cross join lateral (
      select id from categories where location_id = ${ctx.caller.locationId}::uuid and id = v.id for key share) c`;
  const known = new Set(found.map(({ id }) => id));
  const faults = ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `category_ids[${index}]`, message: 'unknown category' }],
  );
  if (faults.length > 0) throw invalid(...faults);
  return [...new Set(ids)];
}

async function setCategories(
  tx: PrismaTransaction,
  { caller: { locationId } }: CallContext,
  menuId: string,
  categoryIds: readonly string[],
): Promise<void> {
  await tx.menuCategory.createMany({
    data: categoryIds.map((categoryId, position) => ({ locationId, menuId, categoryId, position })),
  });
}

interface MenuRow {
  id: string;
  name: string;
  version: number;
  isPublished: boolean;
  categories: { category: { id: string; name: string } }[];
}

const toMenu = ({ id, name, version, isPublished, categories }: MenuRow): Menu => ({
  id,
  name,
  version,
  is_published: isPublished,
  categories: categories.map(({ category }) => category),
});
