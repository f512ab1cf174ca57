import { existsSync, readFileSync } from 'node:fs';
import { writeRecord } from '../csv/records.ts';
import { UsageError } from '../usage-error.ts';
import { writeWhole } from '../whole-file.ts';
import type { Refused } from './rows.ts';
import { reasonColumn, type Table } from './table.ts';

/** The file for refused rows by default: `products.refused.csv` next to `products.csv`. */
export const refusedName = (file: string): string => `${file.replace(/\.[^./\\]+$/, '')}.refused.csv`;

/** Refuses to write over a file that is none of refused rows. @throws {UsageError} */
export function requireOwn(file: string): void {
  if (!existsSync(file)) return;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const [header = ''] = text.split(/\r?\n/, 1);
  if (!header.endsWith(reasonColumn))
    throw new UsageError(
      `${file} is there and is no file of refused rows: move it, or name another with --refused`,
    );
}

/**
 * Writes the rows as they were in the file, with a column that says why: UTF-8 with a byte order mark, as spreadsheets need it.
 * The file is whole or as it was before. @throws {UsageError} when it cannot be written.
 */
export function writeRefused(file: string, { header, separator }: Table, refused: readonly Refused[]): void {
  const own = header.indexOf(reasonColumn);
  const width = own === -1 ? header.length : own;
  const lines = refused.map(({ cells, reason }) => {
    const kept = Array.from({ length: width }, (_, index) => cells[index] ?? '');
    return writeRecord([...kept, reason], separator);
  });
  const head = writeRecord([...header.slice(0, width), reasonColumn], separator);
  writeWhole(file, `\ufeff${[head, ...lines].map((line) => `${line}\r\n`).join('')}`);
}
