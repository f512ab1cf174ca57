import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../../packages/db/src/root.ts';

/** A copy of `prisma/sql`, to be changed as newer versions would. */
export interface SqlCopy {
  directory: string;
  /**
   * Replaces `from` in a file, named without `.sql`, wherever it stands.
   * @throws {Error} it stands nowhere.
   */
  edit(file: string, from: string, to: string): void;
  /** Writes a file of its own; null removes it. */
  write(file: string, sql: string | null): void;
  /** Makes all files what they are in `prisma/sql`, and leaves those of its own. */
  restore(): void;
  remove(): void;
}

/** Makes one. */
export function copySql(): SqlCopy {
  const directory = mkdtempSync(join(tmpdir(), 'comanda-newer-sql-'));
  const pathOf = (file: string) => join(directory, `${file}.sql`);
  const restore = () => cpSync(join(repositoryRoot, 'prisma', 'sql'), directory, { recursive: true });
  restore();
  return {
    directory,
    restore,
    edit(file, from, to) {
      const before = readFileSync(pathOf(file), 'utf8');
      const after = before.replaceAll(from, () => to);
      if (after === before) throw new Error(`${file}.sql has no ${from}`);
      writeFileSync(pathOf(file), after);
    },
    write(file, sql) {
      if (sql === null) rmSync(pathOf(file));
      else writeFileSync(pathOf(file), sql);
    },
    remove: () => rmSync(directory, { recursive: true }),
  };
}
