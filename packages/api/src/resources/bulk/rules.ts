import { freshFields, productColumns } from '../products/fields.schema.ts';
import { type FieldChange, fieldChanges, type SyncAction } from './changes.schema.ts';
import type { LinkRow, ProductRow, StockRow, Writes, Written } from './rows.rules.ts';

/** Fields as a caller gives them: what is undefined is left out. */
export type Given<Row> = { [Name in keyof Row]?: Row[Name] | undefined };

/**
 * The row after the change: the existing one, or a `fresh` one, with the given values. Notes it among what is
 * written, unless it is equal to what is there.
 */
export function settle<Row extends object>(
  written: Written<Row>,
  before: Row | undefined,
  given: Given<Row>,
  fresh: () => Row,
): Row {
  const row: Row = before === undefined ? fresh() : { ...before };
  let differs = false;
  for (const name of Object.keys(given) as (keyof Row)[]) {
    const value = given[name] as Row[keyof Row] | undefined;
    if (value === undefined || value === row[name]) continue;
    row[name] = value;
    differs = true;
  }
  if (before === undefined) written.created.push(row);
  else if (differs) written.updated.push(row);
  return row;
}

/** The result of something that is settled; only a dry run asks. */
export type ChangesOf = () => FieldChange[];

const productNames = Object.fromEntries(productColumns.map((name) => [name, name]));

/** Settles the product `id`; answers its changes. A new product takes the defaults. */
export function settleProduct(
  { products }: Writes,
  id: string,
  given: Given<Omit<ProductRow, 'id' | 'external_id'>> & { external_id: string },
  before: ProductRow | undefined,
): ChangesOf {
  const { external_id, sku } = given;
  const columns = Object.fromEntries(productColumns.map((name) => [name, given[name]])) as Given<ProductRow>;
  const row = settle(products, before, columns, () => ({ id, external_id, ...freshFields, sku: id }));
  return () =>
    // A sku that is made from the id is not foreseen: a dry run makes no id.
    fieldChanges(before, row, productNames).filter(
      ({ field }) => field !== 'sku' || before !== undefined || sku !== undefined,
    );
}

const stockFields = { enabled: 'enabled', quantity: 'quantity', min_stock_alarm: 'min_stock_alarm' } as const;

/** Settles the stock of a product, if it is given; answers what changes of it, each field after `prefix`. */
export function settleStock(
  { stock }: Writes,
  product_id: string,
  given: Given<Omit<StockRow, 'product_id'>> | undefined,
  before: StockRow | undefined,
  prefix = 'stock.',
): ChangesOf {
  if (given === undefined) return () => [];
  const row = settle(stock, before, given, () => ({
    product_id,
    enabled: true,
    quantity: 0,
    min_stock_alarm: 0,
  }));
  return () =>
    fieldChanges(before, row, stockFields).map((change) => ({ ...change, field: prefix + change.field }));
}

/**
 * Settles the categories of a product: `wanted`, by id with its identifier, and no others when `exact`. Returns the
 * names before and after; nothing when they are the same.
 */
export function settleLinks(
  { addedLinks, removedLinks }: Writes,
  product_id: string,
  wanted: ReadonlyMap<string, string>,
  there: readonly LinkRow[],
  exact: boolean,
): { before: string[]; after: string[] } | undefined {
  const linked = new Set(there.map(({ category_id }) => category_id));
  const added = [...wanted].filter(([id]) => !linked.has(id));
  const removed = exact ? there.filter(({ category_id }) => !wanted.has(category_id)) : [];
  if (added.length + removed.length === 0) return undefined;
  for (const [category_id] of added) addedLinks.push({ product_id, category_id });
  for (const { category_id } of removed) removedLinks.push({ product_id, category_id });
  const stay = there.filter((link) => !removed.includes(link)).map(({ category }) => category);
  return {
    before: there.map(({ category }) => category).sort(),
    after: [...stay, ...added.map(([, name]) => name)].sort(),
  };
}

/** The result for something that existed or not, of which `changes` change. */
export function actionOf(before: object | undefined, changes: readonly FieldChange[]) {
  const action = before === undefined ? 'created' : changes.length > 0 ? 'updated' : 'unchanged';
  return action satisfies SyncAction;
}

/** A plan that writes nothing. */
export function emptyWrites(): Writes {
  const none = () => ({ created: [], updated: [] });
  return {
    removed: { categories: [], products: [], subselections: [], items: [] },
    releasedSkus: [],
    addedLinks: [],
    removedLinks: [],
    categories: none(),
    products: none(),
    stock: none(),
    subselections: none(),
    items: none(),
  };
}

/** Whether a plan writes anything. */
export const writesAnything = (writes: Writes): boolean =>
  Object.values(writes)
    .flatMap((part: object) => (Array.isArray(part) ? [part] : Object.values(part)))
    .some((rows: unknown[]) => rows.length > 0);

/** Rows by something that only one of them has. */
export function by<Row, Key>(rows: readonly Row[], key: (row: Row) => Key): Map<Key, Row> {
  return new Map(rows.map((row) => [key(row), row]));
}

/** Rows by something that several may share. */
export function group<Row, Key>(rows: readonly Row[], key: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const known = groups.get(key(row));
    if (known === undefined) groups.set(key(row), [row]);
    else known.push(row);
  }
  return groups;
}
