import { type FieldFault, invalid } from '../../errors.ts';
import {
  type SyncedCategory,
  type SyncedItem,
  SyncedProduct,
  type SyncedSubselection,
} from './sync.schema.ts';

/** A product that a sync names, once, wherever it stands. */
export interface NamedProduct {
  /** Where it stands first: `categories[0].products[1]`. */
  at: string;
  product: SyncedProduct;
  /** The external ids of the categories that it stands under, in the order sent. */
  categories: string[];
}

/** What a sync names. */
export interface NamedTree {
  categories: readonly SyncedCategory[];
  products: readonly NamedProduct[];
}

/**
 * Gathers the products of a tree. Throws `validation_error` when something is named twice where it must be named
 * once, when a product's fields differ from one category to another, when two products have one sku.
 */
export function readTree(categories: readonly SyncedCategory[]): NamedTree {
  const faults = [repeated(categories, 'categories')];
  const products = new Map<string, NamedProduct>();
  for (const [index, { external_id, products: under = [] }] of categories.entries()) {
    faults.push(repeated(under, `categories[${index}].products`));
    for (const [position, product] of under.entries()) {
      const at = `categories[${index}].products[${position}]`;
      const known = products.get(product.external_id);
      if (known === undefined) {
        products.set(product.external_id, { at, product, categories: [external_id] });
        faults.push(repeatedWithin(product, at));
      } else {
        faults.push(differences(known, product, at));
        known.categories.push(external_id);
      }
    }
  }
  const named = [...products.values()];
  const all = [...faults, sharedSkus(named)].flat();
  if (all.length > 0) throw invalid(all);
  return { categories, products: named };
}

function repeated(nodes: readonly { external_id: string }[], path: string): FieldFault[] {
  const first = new Map<string, number>();
  return nodes.flatMap(({ external_id }, index) => {
    const earlier = first.get(external_id);
    if (earlier === undefined) {
      first.set(external_id, index);
      return [];
    }
    const message = `is the same as ${path}[${earlier}].external_id`;
    return [{ path: `${path}[${index}].external_id`, message }];
  });
}

function repeatedWithin({ subselections = [] }: SyncedProduct, at: string): FieldFault[] {
  return [
    ...repeated(subselections, `${at}.subselections`),
    ...subselections.flatMap(({ items }: SyncedSubselection, index) =>
      repeated(items satisfies SyncedItem[], `${at}.subselections[${index}].items`),
    ),
  ];
}

// Both came through the same schema, so that equal values have equal text.
function differences(known: NamedProduct, product: SyncedProduct, at: string): FieldFault[] {
  const fields = Object.keys(SyncedProduct.shape) as (keyof SyncedProduct)[];
  return fields
    .filter((field) => JSON.stringify(product[field]) !== JSON.stringify(known.product[field]))
    .map((field) => ({ path: `${at}.${field}`, message: `differs from ${known.at}.${field}` }));
}

function sharedSkus(products: readonly NamedProduct[]): FieldFault[] {
  const first = new Map<string, string>();
  return products.flatMap(({ at, product: { sku } }) => {
    if (sku === undefined) return [];
    const earlier = first.get(sku);
    if (earlier === undefined) {
      first.set(sku, at);
      return [];
    }
    return [{ path: `${at}.sku`, message: `is the same as ${earlier}.sku` }];
  });
}
