import { renameSync, writeFileSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/** Writes a file that is whole or as it was before, whenever this ends. @throws {UsageError} when it cannot be written. */
export function writeWhole(file: string, text: string, options: { mode?: number } = {}): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, text, options);
    renameSync(draft, file);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}`);
  }
}
