/** Text as code in a cell. */
export const code = (text: string): string => `\`${text}\``;

/** Text that a cell shows as it is. */
export const cell = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('|', '\\|');

/** A table in Markdown, with its last line ended. */
export const lines = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
