import { makeOther, type Other } from '../company.ts';
import { makeTenant, type Setup } from '../setup.ts';

/** The location that a caller attacks from. */
export interface Target extends Other {
  /** Has every product. */
  categoryId: string;
  /** Of another location, whose menu is about the largest that can be copied. */
  sourceKey: string;
  /** A location without products. */
  emptyLocationId: string;
}

/** Makes one with `each` products and orders. */
export async function makeTarget(setup: Setup, each: number): Promise<Target> {
  const target = await makeOther(setup, each);
  const { rows } = await setup.comanda.pool.query<{ id: string }>(
    `with made as (insert into categories (location_id, name) values ($1, 'Everything') returning id),
     linked as (
       insert into product_categories (location_id, product_id, category_id)
       select $1, p, made.id from made, unnest($2::uuid[]) p
     ) select id from made`,
    [target.locationId, target.productIds],
  );
  const source = await makeOther(setup, Math.round(each * 0.9));
  const empty = await makeTenant(setup);
  return {
    ...target,
    ...{ categoryId: rows[0]?.id ?? '', sourceKey: source.key, emptyLocationId: empty.locationId },
  };
}
