import { type FieldFault, invalid } from '../../errors.ts';
import { spellingsOf } from '../../texts.ts';
import { type NamedProduct, productNames } from './named-products.schema.ts';
import type { ProductRow } from './rows.rules.ts';
import { by } from './rules.ts';

/** The name of a product that an item gives. */
export const nameOf = (item: NamedProduct) =>
  productNames.find((name) => item[name] !== undefined) ?? productNames[0];

/** The product that each item names; undefined where there is none. */
export function findNamed<Product extends Pick<ProductRow, 'id' | 'external_id' | 'sku'>>(
  items: readonly NamedProduct[],
  products: readonly Product[],
): (Product | undefined)[] {
  const known = {
    product_id: by(products, ({ id }): string | null => id),
    external_id: by(products, ({ external_id }) => external_id),
    sku: by(products, ({ sku }): string | null => sku),
  };
  const spellings = {
    product_id: (id: string) => id,
    external_id: spellingsOf(known.external_id.keys()),
    sku: spellingsOf(products.map(({ sku }) => sku)),
  };
  return items.map((item) => {
    const name = nameOf(item);
    return known[name].get(spellings[name](item[name] ?? ''));
  });
}

/** Throws `validation_error` when two items of the list `path` name the same product in different ways. */
export function refuseRepeated(
  path: string,
  items: readonly NamedProduct[],
  found: readonly ({ id: string } | undefined)[],
): void {
  const first = new Map<string, number>();
  const faults: FieldFault[] = [];
  for (const [index, item] of items.entries()) {
    const id = found[index]?.id;
    if (id === undefined) continue;
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    else
      faults.push({
        path: `${path}[${index}].${nameOf(item)}`,
        message: `names the same product as ${path}[${earlier}]`,
      });
  }
  if (faults.length > 0) throw invalid(faults);
}
