import { decode } from '../csv/encoding.ts';
import { type Mark, type NumberStyle, styleOf } from '../csv/numbers.ts';
import { type CsvRecord, readRecords } from '../csv/records.ts';
import { separatorFrom, separatorName, separators } from '../csv/separators.ts';
import { asTyped } from '../csv/typed.ts';
import { UsageError } from '../usage-error.ts';
import type { Field, Kind } from './fields.ts';

/** The last column of a file of refused rows; it is skipped where such a file is pushed. */
export const reasonColumn = 'refused_because';

/** The command line's words on a file. */
export interface Reading {
  encoding?: string | undefined;
  separator?: string | undefined;
  /** `comma`, `point`, or `price=comma`. */
  decimals: readonly string[];
  /** `their_column=our_field` */
  maps: readonly string[];
}

/** A column that brings a field. */
export interface Column {
  field: Field;
  index: number;
  /** The sign before decimals that the command line names. */
  asked: Mark | undefined;
  style: NumberStyle;
}

/** A file as a table. */
export interface Table {
  header: readonly string[];
  columns: readonly Column[];
  rows: readonly CsvRecord[];
  separator: string;
  /** Columns that bring nothing; one without a name by its position, from 1. */
  unknown: readonly string[];
  encoding: string;
}

/** Reads a file. @throws {UsageError} when it cannot be read without a guess, or has not the columns that are needed. */
export function readTable(bytes: Uint8Array, kind: Kind, reading: Reading): Table {
  const { text: all, encoding } = decode(bytes, reading.encoding);
  // A line for Excel, which is no row.
  const [said, sign] = /^sep=([,;\t|])(?:\r\n|\r|\n)/i.exec(all) ?? [''];
  const text = all.slice(said.length);
  const lines = said === '' ? 0 : 1;
  const asked = reading.separator === undefined ? sign : separatorFrom(reading.separator);
  const separator = asked ?? recognized(text, kind, reading.maps);
  const records = [...readRecords(text, separator)].map((each) => ({ ...each, line: each.line + lines }));
  const [first, ...others] = records;
  if (first === undefined) throw new UsageError('the file is empty');
  const header = first.cells.map((cell) => asTyped(cell).trim());
  const rows = others.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const found = fieldsOf(header, kind, reading.maps);
  const columns = found.flatMap((field, index): Column[] => {
    if (field === undefined) return [];
    const values =
      field.type === 'decimal' ? rows.map(({ cells }) => asTyped(cells[index] ?? '').trim()) : [];
    const style = styleOf(values.filter((value) => value !== ''));
    return [{ field, index, style, asked: askedOf(field.name, reading.decimals) }];
  });
  requireColumns(header, columns, kind);
  for (const each of reading.decimals) requireDecimal(each, columns);
  const unknown = header.flatMap((name, index) =>
    found[index] === undefined && name !== reasonColumn ? [name || `column ${index + 1}`] : [],
  );
  return { header, columns, rows, separator, unknown, encoding };
}

const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');

/** The field of each column, or undefined. */
function fieldsOf(header: readonly string[], kind: Kind, maps: readonly string[]): (Field | undefined)[] {
  const fields = new Map(kind.fields.map((field) => [field.name, field]));
  const mapped = new Map<number, string>();
  for (const map of maps) {
    const [theirs = '', ours = ''] = [
      map.slice(0, map.lastIndexOf('=')),
      map.slice(map.lastIndexOf('=') + 1),
    ];
    if (!map.includes('=')) throw new UsageError(`--map takes their_column=our_field, not ${map}`);
    if (!fields.has(ours))
      throw new UsageError(
        `--map ${map}: no field is called ${ours}; there are ${[...fields.keys()].join(', ')}`,
      );
    const index = header.findIndex((name) => name.toLowerCase() === theirs.trim().toLowerCase());
    if (index === -1)
      throw new UsageError(`--map ${map}: the file has no column ${theirs}; it has ${header.join(', ')}`);
    mapped.set(index, ours);
  }
  const taken = new Set(mapped.values());
  const named = header.map((name, index) => {
    const own = mapped.get(index) ?? plain(name);
    return !mapped.has(index) && taken.has(own) ? undefined : fields.get(own);
  });
  for (const [index, field] of named.entries()) {
    const first = named.indexOf(field);
    if (field !== undefined && first !== index)
      throw new UsageError(
        `the columns ${header[first]} and ${header[index]} are both ${field.name}: map one`,
      );
  }
  return named;
}

/** The separator with which the first line names the most fields, else has the most columns. */
function recognized(text: string, kind: Kind, maps: readonly string[]): string {
  const [best] = separators
    .map((sign) => ({ sign, ...scoreOf(text, sign, kind, maps) }))
    .sort((one, other) => other.fields - one.fields || other.columns - one.columns);
  return best?.sign ?? ',';
}

function scoreOf(
  text: string,
  sign: string,
  kind: Kind,
  maps: readonly string[],
): { fields: number; columns: number } {
  const theirs = maps.map((map) => plain(map.slice(0, map.lastIndexOf('='))));
  const names = new Set([...kind.fields.map(({ name }) => name), ...theirs]);
  try {
    const { value } = readRecords(text, sign).next();
    const cells: readonly string[] = value?.cells ?? [];
    return { fields: cells.filter((cell) => names.has(plain(cell))).length, columns: cells.length };
  } catch {
    // Quotes that make no sense with this one.
    return { fields: -1, columns: 0 };
  }
}

function requireColumns(header: readonly string[], columns: readonly Column[], kind: Kind): void {
  for (const names of kind.needs)
    if (!columns.some(({ field }) => names.includes(field.name)))
      throw new UsageError(
        `no column for ${names.join(' or ')}; the file has ${header.join(', ')}: give --map theirs=${names[0]}`,
      );
}

function askedOf(name: string, decimals: readonly string[]): Mark | undefined {
  let asked: Mark | undefined;
  for (const each of decimals) {
    const [, column, mark] = /^(?:(.*)=)?(comma|point)$/.exec(each) ?? [];
    if (mark === undefined) throw new UsageError('--decimal must be comma or point, or price=comma');
    if (column === undefined || column === name) asked = mark === 'comma' ? 'comma' : 'point';
  }
  return asked;
}

function requireDecimal(asked: string, columns: readonly Column[]): void {
  const [, name] = /^(.*)=/.exec(asked) ?? [];
  if (name !== undefined && !columns.some(({ field }) => field.name === name && field.type === 'decimal'))
    throw new UsageError(`--decimal ${asked}: no column of numbers brings ${name}`);
}

/** How a file was read, in one line. */
export function readAs({ encoding, separator, columns }: Table): string {
  const numbers = columns.filter(({ field }) => field.type === 'decimal');
  const marks = numbers.flatMap(({ field, style, asked }) => {
    const mark = asked ?? style.mark;
    return mark === undefined ? [] : [{ name: field.name, mark }];
  });
  const all = new Set(marks.map(({ mark }) => mark));
  const text = (mark: string) => (mark === 'mixed' ? 'decimal comma and point mixed' : `decimal ${mark}`);
  const decimals = marks.map(({ name, mark }) => (all.size === 1 ? text(mark) : `${text(mark)} in ${name}`));
  const grouped = numbers.filter(({ style }) => style.grouped).map(({ field }) => field.name);
  return [
    `read as: ${encoding}`,
    separatorName(separator),
    ...(decimals.length === 0 ? ['no decimals'] : new Set(decimals)),
    ...(grouped.length === 0 ? [] : [`thousands set apart in ${grouped.join(', ')}`]),
  ].join(', ');
}
