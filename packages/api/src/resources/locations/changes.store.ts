import { belongings, type Database, type LocationTable, ownRow, type Transaction } from '@comanda/db';
import { conflict, notFound } from '../../errors.ts';
import * as changed from './changes.statements.ts';
import { manifestOf, rowsOf, type WriteTable } from './export.store.ts';
import type { ExportedTable, Manifest } from './whole.schema.ts';
import * as sql from './whole.statements.ts';

/** A copy of a location in another database. */
export interface Copy {
  database: Database;
  /** The moment of the first export, which identifies the copy. */
  exportedAt: string;
}

/** The tables whose rows are compared; the others are written by triggers, and brought whole. */
const comparedTables = belongings.filter(({ derived }) => derived !== true);

/**
 * Reads the rows that the copy of a location lacks, as of one moment, and gives them to `write` table by table: the
 * rows that were written since, with those that name them, and the keys of deleted rows. `isFinal` where the location
 * is at rest: work that waits comes too then. Throws `resource_not_found`, and `conflict` when there is no such copy.
 */
export function exportChanges(
  source: Database,
  copy: Copy,
  id: string,
  { write, isFinal }: { write: WriteTable; isFinal: boolean },
): Promise<Manifest> {
  return source.transaction(undefined, (here) =>
    copy.database.transaction(undefined, async (there) => {
      for (const tx of [here, there]) {
        await tx.run(sql.beginSnapshot, []);
        await tx.run(sql.exportSettings, []);
      }
      const [copied] = await there.run(changed.findCopied, [id, copy.exportedAt]);
      if (copied === undefined) throw conflict('guarded', `The copy of ${copy.exportedAt} is not there.`);
      const [found] = await here.run(sql.describeExport, [id]);
      if (found === undefined) throw notFound('Location');
      // After a restart of the database the numbers of its transactions are not trusted.
      const [since] = await here.run(changed.ageOf, [copied.snapshot, copied.epoch]);
      const age = since?.age ?? null;
      const references = await here.run(changed.listReferences, []);
      const reading = {
        here,
        there,
        id,
        copy,
        write,
        references,
        age,
        replaced: new Map<string, string[]>(),
      };
      const tables: ExportedTable[] = [];
      const gone: Record<string, string[]> = {};
      for (const each of comparedTables) {
        const read = age === null ? await readAll(reading, each) : await readChanges(reading, each);
        tables.push(read.exported);
        if (read.gone.length > 0) gone[each.table] = read.gone;
      }
      for (const each of [ownRow, ...belongings])
        if (!comparedTables.includes(each) && (isFinal || each.pending !== true))
          tables.push((await readAll(reading, each)).exported);
      const changes = { copy: copy.exportedAt, since: age === null ? null : copied.snapshot, gone };
      return { ...manifestOf(found), tables, changes };
    }),
  );
}

interface Reading {
  here: Transaction;
  there: Transaction;
  id: string;
  copy: Copy;
  write: WriteTable;
  references: readonly changed.Reference[];
  age: number | null;
  /** The ids of the rows that are deleted and inserted again in the copy, by table. */
  replaced: Map<string, string[]>;
}

interface Read {
  exported: ExportedTable;
  gone: string[];
}

async function readAll({ here, id, write }: Reading, each: LocationTable): Promise<Read> {
  await here.run(sql.declareRows(each), [id]);
  return written(each, write, here, []);
}

async function readChanges(reading: Reading, each: LocationTable): Promise<Read> {
  const { here, there, id, copy, write, age, replaced } = reading;
  const references = reading.references.filter(({ child }) => child === each.table);
  const parents = references.map(({ parent }) => replaced.get(parent) ?? []);
  await here.run(changed.declareChanges(each, references), [id, age, ...parents]);
  const keys: string[] = [];
  const exported = await written(each, write, here, keys, () => compare(keys));
  if (each.updatedInCopy !== true && reading.references.some(({ parent }) => parent === each.table))
    replaced.set(each.table, keys);
  return exported;

  /** Other differences: rows that were deleted here, and rows that the other database removed by itself. */
  async function compare(known: readonly string[]) {
    const values = [id, copy.exportedAt, known];
    const print = changed.printKeys(each);
    const [[own], [its]] = await Promise.all([here.run(print, values), there.run(print, values)]);
    if (own?.print === its?.print) return { rows: [], gone: [] };
    const [mine = [], theirs = []] = await Promise.all(
      [here, there].map(async (tx) => (await tx.run(changed.listKeys(each), values)).map(({ key }) => key)),
    );
    const [isMine, isTheirs] = [new Set(mine), new Set(theirs)];
    const missing = mine.filter((key) => !isTheirs.has(key));
    const rows = missing.length === 0 ? [] : await here.run(changed.readRows(each), [id, missing]);
    return { rows, gone: theirs.filter((key) => !isMine.has(key)) };
  }
}

/** Writes the rows of the open cursor, and what `more` finds; the keys of all are added to `keys`. */
async function written(
  { table, file }: LocationTable,
  write: WriteTable,
  tx: Transaction,
  keys: string[],
  more?: () => Promise<{ rows: { line: string; key: string }[]; gone: string[] }>,
): Promise<Read> {
  let gone: string[] = [];
  async function* lines(): AsyncGenerator<string[]> {
    for await (const rows of rowsOf<{ line: string; key: string }>(tx)) yield take(rows);
    await tx.run(sql.closeRows, []);
    if (more === undefined) return;
    const found = await more();
    gone = found.gone;
    if (found.rows.length > 0) yield take(found.rows);
  }
  const take = (rows: { line: string; key: string }[]): string[] => {
    for (const { key } of more === undefined ? [] : rows) keys.push(key);
    return rows.map(({ line }) => line);
  };
  const exported = { table, file, ...(await write(file, lines())) };
  return { exported, gone };
}
