import { printable } from '@comanda/db/terminal';

/** Lines for a person. Any text that a caller wrote into one is printed as one line. */
export type Lines = readonly string[];

/** A value for a person: an object as `name: value` lines, a list with a blank line between entries. */
export function table(value: unknown): Lines {
  if (Array.isArray(value))
    return value.length === 0
      ? ['none']
      : value.flatMap((each, index) => [...(index === 0 ? [] : ['']), ...table(each)]);
  if (typeof value !== 'object' || value === null) return [String(value)];
  const entries = Object.entries(value);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(
    ([name, member]) => `${name.padEnd(width)}  ${Array.isArray(member) ? member.join(', ') : member}`,
  );
}

/** Rows for a person: one a line under its heads, a column for each. */
export function rows<Row>(
  values: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
): Lines {
  if (values.length === 0) return ['none'];
  const cells = Object.values(columns);
  // As long as they are shown, so that columns align.
  const lines = [Object.keys(columns), ...values.map((row) => cells.map((cell) => printable(cell(row))))];
  const widths = cells.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
