/** Text that a spreadsheet would read as a formula, and the apostrophe that prevents that. */
const formula = /^[=+\-@\t\r']/;

/** A cell as it was typed, without what keeps a spreadsheet from reading it: `'=1+1` is `=1+1`, and `="00042"` is `00042`. */
export function asTyped(cell: string): string {
  if (cell.startsWith("'") && formula.test(cell.slice(1))) return cell.slice(1);
  const [, text] = /^="((?:[^"]|"")*)"$/.exec(cell) ?? [];
  return text === undefined ? cell : text.replaceAll('""', '"');
}
