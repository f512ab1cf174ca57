import { type Column, isId, newId, tableNamed } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { invalid, notFound } from '../../errors.ts';
import { namesNothing } from '../../references.ts';
import type { Deleted } from '../../wire.ts';
import type { Current, ItemRow, SubselectionRow } from '../bulk/rows.rules.ts';
import { settle } from '../bulk/rules.ts';
import {
  moving,
  placed,
  placeOf,
  recorded,
  recordedItem,
  refuseBounds,
  refuseTaken,
  refuseUnsatisfiable,
} from './changes.rules.ts';
import { changing, changingOne, deleted, shownGroup, shownItem } from './changing.service.ts';
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

const bounds = ['min_selection', 'max_selection'] as const;
const itemBounds = ['min', 'max'] as const;

/** Creates one with its options. Throws `validation_error`, `conflict` for an `external_id` that the product has. */
export function create(ctx: CallContext, input: SubselectionCreate): Promise<Answer<Subselection>> {
  const { product_id, items, external_id = null, single, position: place, ...fields } = input;
  const unknown = () =>
    invalid({ path: 'product_id', message: namesNothing('products'), reason: 'unknown_reference' });
  if (!isId(product_id)) throw unknown();
  return changing(ctx, 'subselections.create', product_id, shownGroup, (current, writes) => {
    const siblings = current.subselections;
    const [product] = current.products;
    if (product === undefined) throw unknown();
    if (siblings.length >= most.subselections)
      throw invalid({
        path: 'product_id',
        message: `has ${most.subselections} subselections, which is the most`,
      });
    const { position, moved } = placed(siblings, place);
    const group: SubselectionRow = {
      id: newId(),
      product_id,
      external_id,
      ...fields,
      position,
      single: single ?? fields.max_selection === 1,
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
    writes.subselections = { created: [group], updated: moved };
    writes.items.created = rows;
    return {
      id: group.id,
      changes: { before: null, after: recorded(group, rows, { position, product_name: product.name }) },
    };
  });
}

/** Changes the fields that are present. Throws `resource_not_found`, `validation_error`, `conflict`. */
export function update(
  ctx: CallContext,
  { id, position: place, ...given }: SubselectionUpdate,
): Promise<Answer<Subselection>> {
  return changingOne(ctx, 'subselections.update', id, 'Subselection', shownGroup, (current, writes) => {
    const { group: before, items, product_name } = choiceOf(current, id);
    const siblings = current.subselections;
    const { position, moved, from, to } = moving(before, siblings, place);
    const group = settle(writes.subselections, before, { ...given, position }, () => before);
    writes.subselections.updated = writes.subselections.updated.concat(moved);
    refuseBounds(group, bounds, given);
    refuseTaken('subselection', group, siblings);
    const touched = [...bounds, 'single' as const].filter((name) => given[name] !== undefined);
    const [path = 'min_selection'] = touched;
    const boundless = touched.length === 0;
    refuseUnsatisfiable({ group: before, items }, { group, items }, { path, boundless });
    const changes = {
      before: recorded(before, items, { position: from, product_name }),
      after: recorded(group, items, { position: to, product_name }),
    };
    return { id, changes };
  });
}

/** Deletes one with its options. Throws `resource_not_found`. */
export function remove(ctx: CallContext, id: string): Promise<Answer<Deleted>> {
  return changingOne(ctx, 'subselections.delete', id, 'Subselection', deleted, (current, writes) => {
    const { group, items, product_name } = choiceOf(current, id);
    writes.removed.subselections = [id];
    return {
      id,
      changes: {
        before: recorded(group, items, { position: placeOf(id, current.subselections), product_name }),
        after: null,
      },
    };
  });
}

/** Creates an option. Throws `validation_error`, `conflict` for an `external_id` that the subselection has. */
export function createItem(ctx: CallContext, input: ItemCreate): Promise<Answer<SubselectionItem>> {
  const { subselection_id, position: place, ...given } = input;
  const unknown = () =>
    invalid({
      path: 'subselection_id',
      message: namesNothing('subselections'),
      reason: 'unknown_reference',
    });
  return changingOne(
    ctx,
    'subselectionItems.create',
    subselection_id,
    unknown,
    shownItem,
    (current, writes) => {
      const { group, items } = choiceOf(current, subselection_id, unknown);
      if (items.length >= most.items)
        throw invalid({
          path: 'subselection_id',
          message: `has ${most.items} items, which is the most`,
        });
      const { position, moved } = placed(items, place);
      const row = rowOf(group, given, position);
      refuseBounds(row, itemBounds, given);
      refuseTaken('item', row, items);
      const path = given.max === undefined ? 'subselection_id' : 'max';
      refuseUnsatisfiable({ group, items }, { group, items: [...items, row] }, { path });
      writes.items = { created: [row], updated: moved };
      return { id: row.id, changes: { before: null, after: recordedItem(row, position) } };
    },
  );
}

/** Changes the fields that are present. Throws `resource_not_found`, `validation_error`, `conflict`. */
export function updateItem(
  ctx: CallContext,
  { id, stock, image_url, position: place, ...given }: ItemUpdate,
): Promise<Answer<SubselectionItem>> {
  return changingOne(
    ctx,
    'subselectionItems.update',
    id,
    'Subselection item',
    shownItem,
    (current, writes) => {
      const { before, group, items } = itemOf(current, id);
      const fields = {
        ...given,
        ...(image_url !== undefined && { image_url: image_url ?? '' }),
        ...(stock && { stock_enabled: stock.enabled, stock_quantity: stock.quantity }),
      };
      const { position, moved, from, to } = moving(before, items, place);
      const row = settle(writes.items, before, { ...fields, position }, () => before);
      writes.items.updated = writes.items.updated.concat(moved);
      refuseBounds(row, itemBounds, given);
      refuseTaken('item', row, items);
      const after = items.map((each) => (each.id === id ? row : each));
      const touched = itemBounds.filter((name) => given[name] !== undefined);
      const [path = 'max'] = touched;
      refuseUnsatisfiable(
        { group, items },
        { group, items: after },
        { path, boundless: touched.length === 0 },
      );
      const isInHistory =
        from === to && Object.keys(fields).every((name) => columnsOfItems.get(name)?.history);
      const changes = { before: recordedItem(before, from), after: recordedItem(row, to) };
      return { id, ...(!isInHistory && { changes }) };
    },
  );
}

/** Deletes an option that its subselection can do without. Throws `resource_not_found`, `validation_error`. */
export function removeItem(ctx: CallContext, id: string): Promise<Answer<Deleted>> {
  return changingOne(ctx, 'subselectionItems.delete', id, 'Subselection item', deleted, (current, writes) => {
    const { before, group, items } = itemOf(current, id);
    const rest = items.filter((each) => each.id !== id);
    refuseUnsatisfiable({ group, items }, { group, items: rest }, { path: 'id' });
    writes.removed.items = [id];
    return { id, changes: { before: recordedItem(before, placeOf(id, items)), after: null } };
  });
}

const columnsOfItems = new Map<string, Column>(Object.entries(tableNamed('subselection_items').columns));

// A row that was deleted, or given to another product by hand, since its product was looked up.
function choiceOf(
  { products, subselections, items }: Current,
  id: string,
  unknown: () => Error = () => notFound('Subselection'),
) {
  const group = subselections.find((each) => each.id === id);
  if (group === undefined) throw unknown();
  return {
    group,
    items: items.filter(({ subselection_id }) => subselection_id === id),
    product_name: products[0]?.name ?? '',
  };
}

function itemOf(current: Current, id: string) {
  const before = current.items.find((each) => each.id === id);
  if (before === undefined) throw notFound('Subselection item');
  return { before, ...choiceOf(current, before.subselection_id) };
}

function rowOf(group: SubselectionRow, item: NewItem, position: number): ItemRow {
  const { external_id = null, name, price, min = 0, max = group.max_selection, visible, stock } = item;
  return {
    id: newId(),
    subselection_id: group.id,
    external_id,
    name,
    price,
    min,
    max,
    visible,
    position,
    image_url: item.image_url ?? '',
    stock_enabled: stock?.enabled ?? false,
    stock_quantity: stock?.quantity ?? 0,
  };
}
