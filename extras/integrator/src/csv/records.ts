import { UsageError } from '../usage-error.ts';

/** A record: its fields as text, and the line of the file on which it begins. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/**
 * Reads the records of a text as RFC 4180 has them; lines may end with CRLF, LF or CR. A quote inside a field that does not
 * begin with one is a quote. Empty lines are left out. @throws {UsageError} that names the line, where quotes make no sense.
 */
export function* readRecords(text: string, separator: string): Generator<CsvRecord> {
  const plain = new RegExp(`[^${separator === '|' ? '\\|' : separator}\\r\\n]*`, 'y');
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const record: CsvRecord = { line, cells: [] };
    for (;;) {
      const field = text[at] === '"' ? quoted(text, at, line) : bare(text, at, plain);
      at = field.end;
      line += field.breaks;
      record.cells.push(field.value);
      if (text[at] !== separator) break;
      at += 1;
    }
    const wide = text.startsWith('\r\n', at) ? 2 : 1;
    if (at < text.length && !/[\r\n]/.test(text.charAt(at)))
      throw new UsageError(`line ${line}: text follows a closing quote; quotes inside are written twice`);
    at += wide;
    line += 1;
    if (record.cells.length > 1 || record.cells[0] !== '') yield record;
  }
}

interface Field {
  value: string;
  /** Behind it. */
  end: number;
  /** How many lines it goes over. */
  breaks: number;
}

function bare(text: string, at: number, plain: RegExp): Field {
  plain.lastIndex = at;
  const value = plain.exec(text)?.[0] ?? '';
  return { value, end: at + value.length, breaks: 0 };
}

function quoted(text: string, at: number, line: number): Field {
  let end = text.indexOf('"', at + 1);
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  if (end === -1) throw new UsageError(`line ${line}: a quote is opened and never closed`);
  const value = text.slice(at + 1, end).replaceAll('""', '"');
  return { value, end: end + 1, breaks: value.split(/\r\n|\r|\n/).length - 1 };
}

/** A record as RFC 4180 writes it, without its end. */
export const writeRecord = (cells: readonly string[], separator: string): string =>
  cells
    .map((cell) =>
      /["\r\n]|^\s|\s$/.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell,
    )
    .join(separator);
