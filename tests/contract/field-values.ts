import { expect } from 'vitest';
import { z } from 'zod';
import { referenceOf } from '../../packages/api/src/references.ts';
import { onRequest, productColumns } from '../../packages/api/src/resources/products/fields.schema.ts';
import { resourceOfTable } from '../support/referred.ts';
import type { Kitchen } from './kitchen.ts';

/** Fields whose values the schema alone cannot determine: existing rows, and checks of a service. */
const known: Readonly<Record<string, (kitchen: Kitchen) => unknown>> = {
  category_ids: ({ category }) => [category.id],
  payment_method_id: ({ paymentMethodId }) => paymentMethodId,
  items: ({ product, itemId }) => [
    {
      product_id: product.id,
      quantity: 3,
      comment: 'no sugar',
      subselections: [{ item_id: itemId, quantity: 1 }],
    },
  ],
  category_external_ids: ({ category }) => [category.externalId],
  country: () => 'UY',
  adjustments: () => [{ kind: 'tip', name: 'Thanks', amount: 2.25, external_id: 'T-1', tax_rate: 10.5 }],
  // A quantity is set only where another is expected: tests/api/stock-edits.test.ts.
  stock_change: () => ({ enabled: true, min_stock_alarm: 4.25 }),
  sandbox: () => true,
  single: () => true,
  // A valid place before the last one, so that the row moves.
  position: () => 0,
  // Of a subselection that its one option can satisfy.
  min_selection: () => 1,
  min: () => 1,
  product_id: ({ product }) => product.id,
  subselection_id: ({ subselectionId }) => subselectionId,
  timezone: () => 'America/Montevideo',
  opening_hours: () => ({
    weekly: [{ day: 'sunday', opens: '22:00', closes: '01:30' }],
    exceptions: [{ date: '2031-01-01', name: 'New Year', spans: [] }],
  }),
  currency: () => 'UYU',
  permissions: () => ['turns:read'],
  url: () => 'https://erp.example.com/of-its-own',
};

/**
 * A value of its own for a field, which its schema accepts. No default and no example is like it: a switch is off, of several
 * names it is the last.
 */
export function valueFor(schema: z.core.$ZodType, field: string, kitchen: Kitchen): unknown {
  const made = known[field]?.(kitchen);
  if (made !== undefined && z.safeParse(schema, made).success) return made;
  const table = referenceOf(schema);
  if (table !== undefined) return kitchen.made.get(resourceOfTable(table))?.id;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return valueFor(schema.unwrap(), field, kitchen);
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape).map(([name, member]) => [name, valueFor(member, name, kitchen)]),
    );
  if (schema instanceof z.ZodArray) return [valueFor(schema.element, field, kitchen)];
  if (schema instanceof z.ZodEnum) return schema.options.at(-1);
  const number = 3 + (field.length % 5);
  const candidates = [
    false,
    `${field} of its own`,
    `https://images.example.com/${field}.jpg`,
    '2031-05-06T07:08:09.000+00:00',
    number + 0.25,
    number,
  ];
  const value = candidates.find((candidate) => z.safeParse(schema, candidate).success);
  if (value === undefined) throw new Error(`tests/contract/field-values.ts knows no value of ${field}`);
  return value;
}

/** The value that an answer shows for a written field. */
export function shownOf(answer: unknown, field: string): unknown {
  const shown = answer as Record<string, unknown>;
  if (field !== 'category_ids') return shown[shownAs(field)];
  return (shown.categories as { id: string }[]).map(({ id }) => id);
}

/** The field of an answer that shows a written one. */
export const shownAs = (field: string): string => shownElsewhere[field] ?? field;

const shownElsewhere: Readonly<Record<string, string>> = {
  category_ids: 'categories',
  stock_change: 'stock',
};

/** The value of `include` that shows a field; undefined where it is always shown. */
export function shownWith(field: string): string | undefined {
  const column = productColumns.find((name) => name === field);
  if (field === 'opening_hours') return 'hours';
  return field === 'customer' || field === 'delivery' ? 'customer' : column && onRequest(column);
}

/** The parts that must equal a value; objects in it may show more. */
export function matching(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(matching);
  if (typeof value !== 'object' || value === null) return value;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, matching(member)])),
  );
}
