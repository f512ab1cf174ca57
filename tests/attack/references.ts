import { z } from 'zod';
import type { Operation } from '../../packages/api/src/call/operations.ts';
import { resourceOfTable, tableReferredBy } from '../support/referred.ts';

/** A place in an operation's input that can name something: `items[].product_id`. */
export interface Reference {
  operation: Operation;
  path: string;
  field: string;
}

/** The fields that name something of a location, and the row of a neighbor that each can name: one made of a resource, where a field says so itself. */
export type Named =
  | `made of ${string}`
  | 'product'
  | 'item'
  | 'subselection'
  | 'category'
  | 'paymentMethod'
  | 'order'
  | 'event'
  | 'name';

/**
 * The possible target of a text field; `null` names no stored row. One without a row may name something by a name. A
 * field that ends with `_id` or `_ids` needs a row.
 */
export function namedBy(field: string): Named | null | undefined {
  const table = tableReferredBy.get(field);
  if (table !== undefined) return `made of ${resourceOfTable(table)}`;
  return field in fields ? fields[field] : /_ids?$/.test(field) ? undefined : 'name';
}

const fields: Readonly<Record<string, Named | null>> = {
  product_id: 'product',
  item_id: 'item',
  subselection_id: 'subselection',
  category_id: 'category',
  category_ids: 'category',
  payment_method_id: 'paymentMethod',
  order_id: 'order',
  turn_id: 'made of turns',
  settlement_id: 'made of settlements',
  after: 'event',
  external_id: 'name',
  external_product_id: 'name',
  category_external_ids: 'name',
  // The operation's own subject: the tests of tenants ask for it at every entrance.
  id: null,
  tax_id: null,
  name: null,
  description: null,
  identifier: null,
  comment: null,
  reason: null,
  image_url: null,
  url: null,
  timezone: null,
  currency: null,
  from: null,
  to: null,
  since: null,
  until: null,
  updated_since: null,
  cursor: null,
  expires_at: null,
  permissions: null,
  event_type: null,
  table: null,
  about: 'order',
  by: null,
  person: null,
};

/** Every place of every operation that takes text which is not an enumeration. */
export function textPlaces(operations: readonly Operation[]): Reference[] {
  return operations.flatMap((operation) =>
    placesIn(operation.input).map((path) => ({ operation, path, field: fieldOf(path) })),
  );
}

/** The input with `value` at that place; the arrays on the way keep their first entry. */
export function withReference(input: Record<string, unknown>, path: string, value: string): unknown {
  const [step = '', ...rest] = path.split('.');
  const name = step.replace('[]', '');
  const below = input[name];
  const first = (Array.isArray(below) ? below[0] : below) as Record<string, unknown> | undefined;
  const inner = rest.length === 0 ? value : withReference(first ?? {}, rest.join('.'), value);
  return { ...input, [name]: step.endsWith('[]') ? [inner] : inner };
}

const fieldOf = (path: string): string => (path.split('.').at(-1) ?? '').replace('[]', '');

function placesIn(schema: unknown, path = ''): string[] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, member]) =>
      placesIn(member, path === '' ? name : `${path}.${name}`),
    );
  if (schema instanceof z.ZodArray) return placesIn(schema.element, `${path}[]`);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return placesIn(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return placesIn(schema.in, path);
  return schema instanceof z.ZodString ? [path] : [];
}
