/** A line of a file: where it begins, and its cells. */
export interface CsvRow {
  /** Counted from 1, as an editor shows it. */
  line: number;
  cells: string[];
}

/** A text that is no CSV, and in which line. */
export class CsvFault extends Error {
  readonly line: number;
  constructor(line: number) {
    super(`line ${line}: a quote is not closed, or is within a cell that does not begin with one`);
    this.line = line;
  }
}

const delimiters = [';', ',', '\t'] as const;

/** The separator between the cells of a line. */
export type Delimiter = (typeof delimiters)[number];

/** Text that a spreadsheet would read as a formula, and the apostrophe that prevents that. */
const formula = /^[=+\-@\t\r']/;

/**
 * The rows of a text in CSV (RFC 4180), blank lines left out: delimited by commas, semicolons or tabs as its first line
 * is, lines ended in any of the three ways. A byte order mark at the beginning and Excel's `sep=;` are skipped. Throws
 * `CsvFault`.
 */
export function readCsv(text: string): CsvRow[] {
  const whole = text.replace(/^\uFEFF/, '');
  const said = /^"?sep=([;,\t])"?(?:\r\n|\n|\r)/i.exec(whole);
  const body = said === null ? whole : whole.slice(said[0].length);
  const delimiter = said?.[1] ?? delimiterOf(body);
  const rows: CsvRow[] = [];
  // A cell, with what ends it: the delimiter, the end of a line, or the end of the text.
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|(="[^"\\r\\n${delimiter}]*"|[^"\\r\\n${delimiter}]*))(${delimiter}|\\r\\n|\\n|\\r|$)`,
    'y',
  );
  let line = said === null ? 1 : 2;
  let cells: string[] = [];
  let begin = line;
  while (cell.lastIndex < body.length || cells.length > 0) {
    const found = cell.exec(body);
    if (found === null) throw new CsvFault(line);
    const [matched, quoted, plain = '', end = ''] = found;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += matched.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === delimiter) continue;
    if (cells.some((each) => each !== '')) rows.push({ line: begin, cells: cells.map(asTyped) });
    cells = [];
    begin = line;
  }
  return rows;
}

/** The text of rows for a spreadsheet, UTF-8 with its mark: no cell is read as a formula, and `readCsv` gives the same cells. */
export function writeCsv(rows: readonly (readonly string[])[], delimiter: Delimiter): string {
  const written = (text: string) => {
    const safe = formula.test(text) ? `'${text}` : text;
    return /["\r\n;,\t]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return `\uFEFF${rows.map((cells) => `${cells.map(written).join(delimiter)}\r\n`).join('')}`;
}

/** The text of the bytes of a file: UTF-16 by its mark, UTF-8, and else what older spreadsheets of the West write. */
export function textOf(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes);
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** A cell as it was typed, without what keeps a spreadsheet from reading it: `'=1+1` is `=1+1`, and `="00042"` is `00042`. */
export function asTyped(cell: string): string {
  if (cell.startsWith("'") && formula.test(cell.slice(1))) return cell.slice(1);
  const [, text] = /^="((?:[^"]|"")*)"$/.exec(cell) ?? [];
  return text === undefined ? cell : text.replaceAll('""', '"');
}

/** The one that is most in the first line, outside of quotes. */
function delimiterOf(text: string): Delimiter {
  const [first = ''] = text.replace(/"(?:[^"]|"")*"/g, '').split(/[\r\n]/, 1);
  const count = (each: Delimiter) => first.split(each).length;
  return delimiters.reduce((best, each) => (count(each) > count(best) ? each : best), ',' as Delimiter);
}
