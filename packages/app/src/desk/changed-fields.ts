import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { auditTexts } from './audit-texts.ts';
import { useCategories } from './categories-known.ts';
import { deskTexts } from './texts.ts';

type Fields = Readonly<Record<string, unknown>> | null;

/** The values before and after of a row; `before` is null for one that was made, `after` for one that went. */
export interface Difference {
  before: Fields;
  after: Fields;
}

/** A field that was changed, in words. */
export interface ChangedField {
  /** `the price`. */
  name: string;
  /** `from $120.00 to $130.00`; the value alone of a row that came or went. */
  change: string;
}

const amounts =
  /^(price|unit_price|total|amount|starting_cash|counted|difference|tips|total_collected|average_ticket|expected_cash)$/;

/** Says what was changed of a row of a table, a field at a time. Of a row that came or went, only what says something. */
export function useChangedFields(): (table: string, difference: Difference) => ChangedField[] {
  const texts = useTexts(auditTexts);
  const { statuses } = useTexts(deskTexts);
  const format = useFormat();
  const categories = useCategories();
  const nameOf = (table: string, field: string) =>
    texts.fields[`${table}.${field}`] ?? texts.fields[field] ?? wordsOf(field);

  function inWords(field: string, value: unknown, table = ''): string {
    if (isEmpty(value)) return texts.none;
    if (typeof value === 'boolean') return value ? texts.yes : texts.no;
    if (amounts.test(field) && Number.isFinite(Number(value))) return format.money(Number(value));
    if (typeof value === 'number') return format.quantity(value);
    if (Array.isArray(value))
      return value
        .map((each) => (field === 'fields' ? nameOf(table, String(each)) : inWords('', each)))
        .join(', ');
    if (typeof value === 'object' && value !== null)
      return Object.entries(value)
        .map(([name, each]) => `${wordsOf(name)} ${inWords(name, each)}`)
        .join(', ');
    const text = String(value);
    if (field === 'category_id') return categories.find((each) => each.value === text)?.label ?? text;
    if (field === 'table') return texts.tables[text]?.[1] ?? wordsOf(text);
    if (field === 'status') return (statuses as Readonly<Record<string, string>>)[text] ?? text;
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? format.exact(text) : `“${text}”`;
  }

  return (table, { before, after }) => {
    const one = before === null ? after : after === null ? before : undefined;
    if (one !== undefined)
      return Object.entries(one ?? {})
        .filter(([field, value]) => !isEmpty(value) && value !== false && !isOwn(field))
        .map(([field, value]) => ({ name: nameOf(table, field), change: inWords(field, value, table) }));
    return Object.keys({ ...before, ...after }).map((field) => ({
      name: nameOf(table, field),
      change: texts.fromTo(inWords(field, before?.[field], table), inWords(field, after?.[field], table)),
    }));
  };
}

/** `webhookEndpoints.rotateSecret` as `webhook endpoints rotate secret`. */
export const wordsOf = (identifier: string): string =>
  identifier
    .replace(/[_.]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Whether the sentence or the link has it, or it is of no use to a person. */
const isOwn = (field: string): boolean =>
  /^(id|location_id|created_at|.*_hash)$/.test(field) ||
  (field.endsWith('_id') && !/^(category|external)_id$/.test(field));
