import { z } from 'zod';
import { type Family, ownField } from '../../families.ts';
import { referenceOf } from '../../references.ts';
import { Description, Name as NameText, Sku } from '../../texts.ts';
import { ImageUrl, Money, ShownImageUrl, ShownName, TaxRate, Visible } from '../../wire.ts';

/** A column of a product that callers give and read, wherever they do. */
interface ProductField {
  /** As it is shown; what may be null is optional. */
  shown: z.ZodType;
  /** As it is given. */
  given: z.ZodType;
  /** Its type in PostgreSQL. */
  column: 'text' | 'numeric' | 'boolean' | 'uuid';
  /** The default of a new product. */
  fresh: string | number | boolean | null;
  /** The family that alone has it. */
  only?: Family;
  /** It is shown where `include` names this, and nowhere else. */
  onRequest?: string;
}

/**
 * The columns of a product without its ids and its parts. The wire shapes (schema.ts here, in catalog and in
 * sync-jobs), the rows of batches (bulk) and what a dry run compares are made of them. A sku that is not given is made
 * of the id.
 */
export const productFields = {
  sku: {
    shown: z.string().meta({ description: 'The stock-keeping unit, unique per location.', example: 'DR-01' }),
    given: Sku.meta({ description: 'Unique per location; made from the id of a new product.' }),
    column: 'text',
    fresh: '',
  },
  name: { shown: ShownName.meta({ example: 'Flat white' }), given: NameText, column: 'text', fresh: '' },
  description: {
    shown: z.string().meta({ description: 'A text about it; empty where there is none.' }),
    given: Description,
    column: 'text',
    fresh: '',
  },
  price: {
    shown: z.number().meta({ description: "In the location's currency, 2 decimals.", example: 170 }),
    given: Money,
    column: 'numeric',
    fresh: 0,
  },
  visible: { shown: Visible, given: Visible, column: 'boolean', fresh: true },
  image_url: { shown: ShownImageUrl, given: ImageUrl, column: 'text', fresh: '' },
  tax_rate: {
    shown: TaxRate.optional().meta({
      description: 'Only with `include=tax`: percent, included in the price; none where none was given.',
    }),
    given: TaxRate,
    column: 'numeric',
    fresh: null,
    only: 'v2',
    onRequest: 'tax',
  },
} as const satisfies Readonly<Record<string, ProductField>>;

type Fields = typeof productFields;
type Name = keyof Fields;

/** The columns' names, in the order in which they are shown. */
export const productColumns = Object.keys(productFields) as Name[];

const part = <Part extends 'column' | 'fresh'>(name: Part) =>
  Object.fromEntries(productColumns.map((column) => [column, productFields[column][name]])) as unknown as {
    -readonly [Column in Name]: Fields[Column][Part];
  };

/** The columns that the types show: those of v2. */
type TypedName = { [Column in Name]: Fields[Column] extends { only: 'v1' } ? never : Column }[Name];

function wire<Field extends z.ZodType>(of: (field: ProductField) => Field): [Name, Field][] {
  return productColumns.map((column) => {
    const field: ProductField = productFields[column];
    return [column, field.only === undefined ? of(field) : ownField(field.only, of(field))];
  });
}

type OnRequest = { [Column in Name]: Fields[Column] extends { onRequest: string } ? Column : never }[Name];

/** The value of `include` that shows a field; undefined where it is always shown. */
export function onRequest(name: Name): string | undefined {
  const field: ProductField = productFields[name];
  return field.onRequest;
}

/** The fields that are always shown. */
export const shownFields = Object.fromEntries(
  wire(({ shown }) => shown).filter(([name]) => onRequest(name) === undefined),
) as unknown as {
  -readonly [Column in Exclude<TypedName, OnRequest>]: Fields[Column]['shown'];
};

/** The fields that reads of v2 show where `include` asks for them. */
export const shownOnRequest = Object.fromEntries(
  productColumns.filter(onRequest).map((name) => [name, productFields[name].shown]),
) as unknown as { -readonly [Column in OnRequest]: Fields[Column]['shown'] };

/** The type of each in PostgreSQL. */
export const columnTypes = part('column');

/** The fields of a new product. */
export const freshFields = part('fresh') as ProductColumns;

/** The columns as a row has them: null where the shown field is left out. */
export type ProductColumns = {
  [Column in Name]: undefined extends z.output<Fields[Column]['shown']>
    ? Exclude<z.output<Fields[Column]['shown']>, undefined> | null
    : z.output<Fields[Column]['shown']>;
};

/** The fields that may be given, all optional. */
export const givenFields = Object.fromEntries(wire(({ given }) => given.optional())) as unknown as {
  [Column in TypedName]: z.ZodOptional<Fields[Column]['given']>;
};

/** The columns that refer to something of the location: the list of products can be narrowed by each. */
export const referenceColumns = productColumns.filter((name) => {
  const { given }: ProductField = productFields[name];
  return referenceOf(given) !== undefined;
}) as ReferenceColumn[];

type ReferenceColumn = { [Column in Name]: Fields[Column]['column'] extends 'uuid' ? Column : never }[Name];

/** A filter for each of them. */
export const referenceFilters = Object.fromEntries(
  referenceColumns.map((name) => [
    name,
    z
      .string()
      .optional()
      .meta({ description: `Products with this \`${name}\`.` }),
  ]),
) as { [Column in ReferenceColumn]: z.ZodOptional<z.ZodString> };

type Cleared = {
  [Column in TypedName]: null extends ProductColumns[Column]
    ? z.ZodOptional<z.ZodNullable<Fields[Column]['given']>>
    : z.ZodOptional<Fields[Column]['given']>;
};

/** The same for a change: null empties what may be null. */
export const changedFields = Object.fromEntries(
  wire(({ fresh, given }) => (fresh === null ? given.nullable() : given).optional()),
) as unknown as Cleared;
