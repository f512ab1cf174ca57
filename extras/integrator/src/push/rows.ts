import { readNumber } from '../csv/numbers.ts';
import type { CsvRecord } from '../csv/records.ts';
import { asTyped } from '../csv/typed.ts';
import { type Kind, readValue } from './fields.ts';
import type { Column, Table } from './table.ts';

/** An item as the service takes it. */
export type Item = Readonly<Record<string, unknown>>;

/** A row that can be sent. */
export interface Row extends CsvRecord {
  item: Item;
}

/** A row that was refused, here or by the service, and why. */
export interface Refused extends CsvRecord {
  reason: string;
}

/** Makes items of the rows of a table. A row that cannot be one, or that names the same thing as an earlier row, is refused. */
export function rowsOf(table: Table, kind: Kind): { rows: Row[]; refused: Refused[] } {
  const rows: Row[] = [];
  const refused: Refused[] = [];
  const first = new Map<string, number>();
  for (const record of table.rows) {
    const made = itemOf(record, table, kind);
    if ('reasons' in made) {
      refused.push({ ...record, reason: made.reasons.join('; ') });
      continue;
    }
    const name = titleOf(made.item);
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, record.line);
      rows.push({ ...record, item: made.item });
    } else refused.push({ ...record, reason: `${name} is in line ${earlier}, too` });
  }
  return { rows, refused };
}

/** The name of an item: `external_id A-1`. */
export function titleOf(item: Item): string {
  const name = ['external_id', 'sku', 'product_id'].find((each) => item[each] !== undefined) ?? '';
  return `${name} ${String(item[name])}`;
}

function itemOf(
  { cells }: CsvRecord,
  { header, columns }: Table,
  kind: Kind,
): { item: Item } | { reasons: string[] } {
  if (cells.length < header.length || cells.slice(header.length).some((cell) => cell.trim() !== ''))
    return { reasons: [`has ${cells.length} fields, and the header ${header.length}`] };
  const values: Record<string, unknown> = {};
  const reasons: string[] = [];
  for (const column of columns) {
    const cell = asTyped(cells[column.index] ?? '').trim();
    // An empty cell says nothing of its field.
    if (cell === '') continue;
    const read = readCell(column, cell);
    if ('reason' in read) reasons.push(read.reason);
    else values[column.field.name] = read.value;
  }
  const given = new Set(
    columns.filter(({ index }) => asTyped(cells[index] ?? '').trim() !== '').map(({ field }) => field.name),
  );
  for (const names of kind.needs)
    if (!names.some((name) => given.has(name))) reasons.push(`${names.join(' or ')}: is empty`);
  if (given.has('quantity') && given.has('adjust')) reasons.push('quantity and adjust are both filled');
  if (reasons.length > 0) return { reasons };
  const [name] = kind.oneOf.filter((each) => values[each] !== undefined);
  for (const other of kind.oneOf) if (other !== name) delete values[other];
  return { item: values };
}

function readCell({ field, style, asked }: Column, cell: string): ReturnType<typeof readValue> {
  if (field.type !== 'decimal') return readValue(field, cell);
  const read = readNumber(cell, style, asked);
  return 'reason' in read ? { reason: `${field.name}: ${read.reason}` } : readValue(field, read.value);
}
