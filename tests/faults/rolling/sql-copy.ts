import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../../packages/db/src/root.ts';

/** A copy of `prisma/sql`, to be changed as newer versions would. */
export interface SqlCopy {
  directory: string;
  /**
   * Replaces `from` in a file, named without `.sql`, at any place.
   * @throws {Error} it is nowhere.
   */
  edit(file: string, from: string, to: string): void;
  /** The same in all files of `made` together. */
  editMade(from: string, to: string): void;
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
  const replace = (path: string, from: string, to: string): boolean => {
    const before = readFileSync(path, 'utf8');
    const after = before.replaceAll(from, () => to);
    writeFileSync(path, after);
    return after !== before;
  };
  restore();
  return {
    directory,
    restore,
    edit(file, from, to) {
      if (!replace(pathOf(file), from, to)) throw new Error(`${file}.sql has no ${from}`);
    },
    editMade(from, to) {
      const made = join(directory, 'made');
      const edited = readdirSync(made).filter((name) => replace(join(made, name), from, to));
      if (edited.length === 0) throw new Error(`no file of made has ${from}`);
    },
    write(file, sql) {
      if (sql === null) rmSync(pathOf(file));
      else writeFileSync(pathOf(file), sql);
    },
    remove: () => rmSync(directory, { recursive: true }),
  };
}
