import { type Column, isId, newId, type Queryable, tableNamed } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { type AuditChanges, audit } from '../../call/audit.ts';
import type { CallContext } from '../../call/context.ts';
import { repeatingRaces } from '../../call/races.ts';
import { inTransaction } from '../../call/writing.ts';
import { invalid, notFound } from '../../errors.ts';
import { namesNothing } from '../../references.ts';
import type { Deleted } from '../../wire.ts';
import { locking, readCurrent } from '../bulk/reads.statements.ts';
import type { Current, ItemRow, SubselectionRow, Writes } from '../bulk/rows.rules.ts';
import { emptyWrites, settle } from '../bulk/rules.ts';
import { write } from '../bulk/writes.statements.ts';
import { positionAfter, refuseBounds, refuseTaken, refuseUnsatisfiable } from './changes.rules.ts';
import { mostSelectable } from './rules.ts';
import {
  type ItemCreate,
  type ItemUpdate,
  most,
  type NewItem,
  type Subselection,
  type SubselectionCreate,
  type SubselectionItem,
  type SubselectionUpdate,
} from './schema.ts';
import { productOfItem, productOfSubselection } from './statements.ts';

const bounds = ['min_selection', 'max_selection'] as const;
const itemBounds = ['min', 'max'] as const;

/** Creates one with its options. Throws `validation_error`, `conflict` for an `external_id` that the product has. */
export function create(ctx: CallContext, input: SubselectionCreate): Promise<Answer<Subselection>> {
  const { product_id, items, external_id = null, single, position, ...fields } = input;
  const unknown = () =>
    invalid({ path: 'product_id', message: namesNothing('products'), reason: 'unknown_reference' });
  if (!isId(product_id)) throw unknown();
  return changing(ctx, 'subselections.create', product_id, (current, writes) => {
    if (current.products.length === 0) throw unknown();
    const siblings = current.subselections;
    if (siblings.length >= most.subselections)
      throw invalid({
        path: 'product_id',
        message: `has ${most.subselections} subselections, which is the most`,
      });
    const group: SubselectionRow = {
      ...{ id: newId(), product_id, external_id, ...fields },
      single: single ?? fields.max_selection === 1,
      position: position ?? positionAfter(siblings),
    };
    refuseBounds(group, bounds, input);
    refuseTaken('subselection', group, siblings);
    const rows: ItemRow[] = [];
    for (const [index, item] of items.entries()) {
      const row = rowOf(group, item, index);
      refuseBounds(row, itemBounds, item, `items[${index}].`);
      refuseTaken('item', row, rows);
      rows.push(row);
    }
    refuseUnsatisfiable(undefined, { group, items: rows }, { path: 'min_selection' });
    writes.subselections.created.push(group);
    writes.items.created = rows;
    const value = shown(current, group, rows);
    return { id: group.id, value, changes: { before: null, after: value } };
  });
}

/** Changes the fields that are present. Throws `resource_not_found`, `validation_error`, `conflict`. */
export function update(
  ctx: CallContext,
  { id, ...given }: SubselectionUpdate,
): Promise<Answer<Subselection>> {
  return changingOne(ctx, 'subselections.update', id, 'Subselection', (current, writes) => {
    const { group: before, items } = choiceOf(current, id);
    const group = settle(writes.subselections, before, given, () => before);
    refuseBounds(group, bounds, given);
    refuseTaken('subselection', group, current.subselections);
    const touched = [...bounds, 'single' as const].filter((name) => given[name] !== undefined);
    const [path = 'min_selection'] = touched;
    const boundless = touched.length === 0;
    refuseUnsatisfiable({ group: before, items }, { group, items }, { path, boundless });
    const value = shown(current, group, items);
    return { id, value, changes: { before: shown(current, before, items), after: value } };
  });
}

/** Deletes one with its options. Throws `resource_not_found`. */
export function remove(ctx: CallContext, id: string): Promise<Answer<Deleted>> {
  return changingOne(ctx, 'subselections.delete', id, 'Subselection', (current, writes) => {
    const { group, items } = choiceOf(current, id);
    writes.removed.subselections = [id];
    return {
      id,
      value: { id, deleted: true },
      changes: { before: shown(current, group, items), after: null },
    };
  });
}

/** Creates an option. Throws `validation_error`, `conflict` for an `external_id` that the subselection has. */
export function createItem(ctx: CallContext, input: ItemCreate): Promise<Answer<SubselectionItem>> {
  const { subselection_id, position, ...given } = input;
  const unknown = () =>
    invalid({
      path: 'subselection_id',
      message: namesNothing('subselections'),
      reason: 'unknown_reference',
    });
  return changingOne(ctx, 'subselectionItems.create', subselection_id, unknown, (current, writes) => {
    const { group, items } = choiceOf(current, subselection_id, unknown);
    if (items.length >= most.items)
      throw invalid({
        path: 'subselection_id',
        message: `has ${most.items} items, which is the most`,
      });
    const row = rowOf(group, given, position ?? positionAfter(items));
    refuseBounds(row, itemBounds, given);
    refuseTaken('item', row, items);
    const path = given.max === undefined ? 'subselection_id' : 'max';
    refuseUnsatisfiable({ group, items }, { group, items: [...items, row] }, { path });
    writes.items.created.push(row);
    const value = shownItem(row);
    return { id: row.id, value, changes: { before: null, after: value } };
  });
}

/** Changes the fields that are present. Throws `resource_not_found`, `validation_error`, `conflict`. */
export function updateItem(
  ctx: CallContext,
  { id, stock, image_url, ...given }: ItemUpdate,
): Promise<Answer<SubselectionItem>> {
  return changingOne(ctx, 'subselectionItems.update', id, 'Subselection item', (current, writes) => {
    const { before, group, items } = itemOf(current, id);
    const fields = {
      ...given,
      ...(image_url !== undefined && { image_url: image_url ?? '' }),
      ...(stock && { stock_enabled: stock.enabled, stock_quantity: stock.quantity }),
    };
    const row = settle(writes.items, before, fields, () => before);
    refuseBounds(row, itemBounds, given);
    refuseTaken('item', row, items);
    const after = items.map((each) => (each.id === id ? row : each));
    const touched = itemBounds.filter((name) => given[name] !== undefined);
    const [path = 'max'] = touched;
    refuseUnsatisfiable({ group, items }, { group, items: after }, { path, boundless: touched.length === 0 });
    const value = shownItem(row);
    const isInHistory = Object.keys(fields).every((name) => columnsOfItems.get(name)?.history);
    return { id, value, ...(!isInHistory && { changes: { before: shownItem(before), after: value } }) };
  });
}

/** Deletes an option that its subselection can do without. Throws `resource_not_found`, `validation_error`. */
export function removeItem(ctx: CallContext, id: string): Promise<Answer<Deleted>> {
  return changingOne(ctx, 'subselectionItems.delete', id, 'Subselection item', (current, writes) => {
    const { before, group, items } = itemOf(current, id);
    const rest = items.filter((each) => each.id !== id);
    refuseUnsatisfiable({ group, items }, { group, items: rest }, { path: 'id' });
    writes.removed.items = [id];
    return { id, value: { id, deleted: true }, changes: { before: shownItem(before), after: null } };
  });
}

const columnsOfItems = new Map<string, Column>(Object.entries(tableNamed('subselection_items').columns));

type Operation = `${'subselections' | 'subselectionItems'}.${'create' | 'update' | 'delete'}`;

/** The row that an operation changes, the answer, and the audit entry's changes; none where the history of its columns has them. */
interface Decided<Value> {
  id: string;
  value: Value;
  changes?: AuditChanges;
}

/**
 * Decides from a product with all its choices, which it locks as a catalog sync does. Writes what is decided, and the audit
 * entry.
 */
function changing<Value>(
  ctx: CallContext,
  operation: Operation,
  product: string | ((on: Queryable) => Promise<string>),
  decide: (current: Current, writes: Writes) => Decided<Value>,
): Promise<Answer<Value>> {
  const { locationId } = ctx.caller;
  return repeatingRaces(() =>
    inTransaction(ctx, async (tx) => {
      const id = typeof product === 'string' ? product : await product(tx);
      const current = await readCurrent(tx, locationId, locking, { products: { ids: [id] }, options: true });
      const writes = emptyWrites();
      const { id: changed, value, changes } = decide(current, writes);
      write(tx, locationId, writes);
      if (changes !== undefined) audit(tx, ctx, operation, changed, changes);
      return { value };
    }),
  );
}

/** The same, of the product that has the row. Throws `resource_not_found`, or what `missing` makes. */
function changingOne<Value>(
  ctx: CallContext,
  operation: Operation,
  id: string,
  missing: string | (() => Error),
  decide: (current: Current, writes: Writes) => Decided<Value>,
): Promise<Answer<Value>> {
  const isOfItem = operation === 'subselectionItems.update' || operation === 'subselectionItems.delete';
  const unknown = typeof missing === 'string' ? () => notFound(missing) : missing;
  if (!isId(id)) throw unknown();
  const find = async (on: Queryable) => {
    const [row] = await on.run(isOfItem ? productOfItem : productOfSubselection, [ctx.caller.locationId, id]);
    if (row === undefined) throw unknown();
    return row.product_id;
  };
  return changing(ctx, operation, find, decide);
}

// A row that was deleted, or given to another product by hand, since its product was looked up.
function choiceOf(
  { subselections, items }: Current,
  id: string,
  unknown: () => Error = () => notFound('Subselection'),
) {
  const group = subselections.find((each) => each.id === id);
  if (group === undefined) throw unknown();
  return { group, items: items.filter(({ subselection_id }) => subselection_id === id) };
}

function itemOf(current: Current, id: string) {
  const before = current.items.find((each) => each.id === id);
  if (before === undefined) throw notFound('Subselection item');
  return { before, ...choiceOf(current, before.subselection_id) };
}

function rowOf(group: SubselectionRow, item: NewItem, position: number): ItemRow {
  const { external_id = null, name, price, min = 0, max = group.max_selection, visible, stock } = item;
  return {
    ...{ id: newId(), subselection_id: group.id, external_id, name, price, min, max, visible, position },
    image_url: item.image_url ?? '',
    stock_enabled: stock?.enabled ?? false,
    stock_quantity: stock?.quantity ?? 0,
  };
}

function shown(
  { products }: Current,
  { external_id, ...group }: SubselectionRow,
  items: readonly ItemRow[],
): Subselection {
  const inOrder = items.toSorted(
    (one, other) => one.position - other.position || (one.id < other.id ? -1 : 1),
  );
  return {
    ...group,
    product_name: products[0]?.name ?? '',
    ...(external_id !== null && { external_id }),
    selectable: mostSelectable(group, items),
    items: inOrder.map(shownItem),
  };
}

function shownItem({ external_id, stock_enabled, stock_quantity, ...item }: ItemRow): SubselectionItem {
  return {
    ...item,
    ...(external_id !== null && { external_id }),
    stock: { enabled: stock_enabled, quantity: stock_quantity },
  };
}
