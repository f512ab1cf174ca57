import { type FieldFault, invalid } from '../../errors.ts';
import { type SyncedCategory, SyncedProduct } from './sync.schema.ts';
import {
  deletionsOf,
  type GivenCategory,
  type GivenProduct,
  given,
  isDeletion,
  isGivenProduct,
} from './sync-entries.rules.ts';

/** A product that a sync names, listed once for all its categories. */
export interface NamedProduct {
  /** Its first position: `categories[0].products[1]`. */
  at: string;
  product: GivenProduct;
  /** The external ids of its categories, in the order sent. */
  categories: string[];
}

/** The items that a sync names. */
export interface NamedTree {
  categories: readonly GivenCategory[];
  products: readonly NamedProduct[];
  /** External ids of the entries marked for deletion. */
  deleted: { categories: readonly string[]; products: readonly string[] };
}

/**
 * Gathers the products of a tree. Throws `validation_error` when something is named twice where it must be named
 * once, when a product's fields differ from one category to another or one of them deletes it, when two products have
 * one sku, when a product is listed in a category marked for deletion.
 */
export function readTree(categories: readonly SyncedCategory[]): NamedTree {
  const faults = [repeated(categories, 'categories')];
  const first = new Map<string, { at: string; product: SyncedProduct }>();
  const products = new Map<string, NamedProduct>();
  const deleted = new Set<string>();
  for (const [index, category] of categories.entries()) {
    const { external_id, products: under = [] } = category;
    faults.push(repeated(under, `categories[${index}].products`));
    for (const [position, product] of under.entries()) {
      const at = `categories[${index}].products[${position}]`;
      if (isDeletion(category) && !isDeletion(product))
        faults.push([{ path: `${at}.delete`, message: 'must be true, as that of its category' }]);
      const known = first.get(product.external_id);
      if (known === undefined) first.set(product.external_id, { at, product });
      else faults.push(differences(known, product, at));
      if (!isGivenProduct(product)) {
        deleted.add(product.external_id);
        continue;
      }
      const named = products.get(product.external_id);
      if (named === undefined) {
        products.set(product.external_id, { at, product, categories: [external_id] });
        faults.push(repeatedWithin(product, at));
      } else named.categories.push(external_id);
    }
  }
  const named = [...products.values()];
  const all = [...faults, sharedSkus(named)].flat();
  if (all.length > 0) throw invalid(all);
  return {
    categories: given.categories(categories),
    products: named,
    deleted: { categories: deletionsOf(categories), products: [...deleted] },
  };
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
    ...subselections.flatMap(({ items = [] }, index) =>
      repeated(items, `${at}.subselections[${index}].items`),
    ),
  ];
}

// Both came through the same schema, so that equal values have equal text. An entry with `delete` may have any.
function differences(
  known: { at: string; product: SyncedProduct },
  product: SyncedProduct,
  at: string,
): FieldFault[] {
  if (isDeletion(product) !== isDeletion(known.product))
    return [{ path: `${at}.delete`, message: `differs from ${known.at}.delete` }];
  const fields = Object.keys(SyncedProduct.shape) as (keyof SyncedProduct)[];
  return (isDeletion(product) ? [] : fields)
    .filter((field) => field !== 'delete')
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
