import { z } from 'zod';
import { mostFaults } from '../../lists.ts';
import { ExternalId, Id, Label } from '../../wire.ts';

/** The ways to name a product. */
export const productNames = ['product_id', 'external_id', 'sku'] as const;

/** The three fields of an item that names a product; `refuseUnnamed` holds it to exactly one of them. */
export const productName = {
  product_id: Id.optional(),
  external_id: ExternalId.optional(),
  sku: Label.optional().meta({ description: 'The stock-keeping unit, unique per location.' }),
};

/** An item that names a product. */
export type NamedProduct = { [Name in (typeof productNames)[number]]?: string | undefined };

const { product_id, external_id, sku } = productName;
const absent = z.never().optional();

/** The same, as the typed client knows it. */
export const ProductNameForms = z.union([
  z.object({ product_id: product_id.unwrap(), external_id: absent, sku: absent }),
  z.object({ product_id: absent, external_id: external_id.unwrap(), sku: absent }),
  z.object({ product_id: absent, external_id: absent, sku: sku.unwrap() }),
]);

/** Refuses an item that does not name its product by exactly one field. */
export function refuseUnnamed(item: NamedProduct, context: z.RefinementCtx): void {
  const given = productNames.filter((name) => item[name] !== undefined);
  if (given.length === 1) return;
  const message = `must name the product by exactly one of ${productNames.join(', ')}`;
  context.addIssue({ code: 'custom', path: given.slice(1, 2), message });
}

/** Refuses items of the list `path` that give the same name twice. */
export function refuseSameName(path: string, items: readonly NamedProduct[], context: z.RefinementCtx): void {
  const first = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    if (context.issues.length > mostFaults) return;
    for (const name of productNames) {
      if (item[name] === undefined) continue;
      const key = `${name} ${item[name]}`;
      const earlier = first.get(key);
      if (earlier === undefined) first.set(key, index);
      else {
        const message = `is the same as ${path}[${earlier}].${name}`;
        context.addIssue({ code: 'custom', path: [path, index, name], message });
      }
    }
  }
}
