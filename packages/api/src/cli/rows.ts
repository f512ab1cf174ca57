/** A value for a person: an object as `name: value` lines, a list with a blank line between entries. */
export function table(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(table).join('\n\n');
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries
    .map(([name, member]) => `${name.padEnd(width)}  ${Array.isArray(member) ? member.join(', ') : member}`)
    .join('\n');
}

/** Rows for a person: one a line under its heads, a column for each. */
export function rows<Row>(
  values: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
): string {
  if (values.length === 0) return 'none';
  const cells = Object.values(columns);
  const lines = [Object.keys(columns), ...values.map((row) => cells.map((cell) => printable(cell(row))))];
  const widths = cells.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Names come from callers: what would move the cursor is shown as its code. */
export const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Bidi_Control}]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
