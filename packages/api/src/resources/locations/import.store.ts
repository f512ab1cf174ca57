import {
  belongings,
  type Database,
  type LocationTable,
  ownRow,
  type Queryable,
  type Transaction,
} from '@comanda/db';
import { auditAs } from '../../call/audit.ts';
import { conflict, invalid } from '../../errors.ts';
import { insertArrival } from './changes.statements.ts';
import { forgetMoved } from './status.store.ts';
import type { ExportedTable, Manifest } from './whole.schema.ts';
import * as sql from './whole.statements.ts';

/** A table that takes long says how far it is after each so many rows. */
const tellEvery = 50_000;

/** The lines of a file, some at a time. Throws at the end where they are not those of the manifest. */
export type ReadTable = (exported: ExportedTable) => AsyncIterable<string[]>;

/** The options of an import. */
export interface Importing {
  /** The keys of ENCRYPTION_KEY here. */
  keyIds: readonly string[];
  /** Says how far it is. */
  log: (line: string) => void;
}

/**
 * Brings an exported location into this database with all its ids, numbers, times, keys and endpoints, in one
 * transaction: all of it or nothing. It is disabled then, and no event is published for these rows. `arrivingAt` is the
 * name of this cell where the location is still active in another one: pending work stays there, and the copy can be
 * neither enabled nor deleted. Throws `conflict` when it is here already or another import is under way,
 * `validation_error` for an export that does not fit.
 */
export async function importLocation(
  database: Database,
  manifest: Manifest,
  read: ReadTable,
  { keyIds, log, arrivingAt }: Importing & { arrivingAt?: string },
): Promise<{ rows: number }> {
  const { id } = manifest.location;
  return database.transaction(undefined, async (tx) => {
    const [lock] = await tx.run(sql.beginImport, []);
    if (lock?.free !== true) throw importUnderWay();
    await refuseMisfit(tx, manifest, keyIds);
    const take = taking(manifest, read, log);
    let rows = await take(ownRow, (lines) => tx.run(sql.insertLocation, lines));
    await forgetMoved(tx, manifest.location);
    if (arrivingAt !== undefined) await tx.run(insertArrival, [id, arrivingAt]);
    for (const each of belongings.filter(({ derived }) => derived !== true))
      rows += await take(each, (lines) => tx.run(sql.insertRows(each), [lines]));
    rows += await takeDerived(tx, manifest, take, arrivingAt !== undefined);
    auditAs(tx, { kind: 'command_line', locationId: id }, 'locations.import', id, {
      before: null,
      after: importedFrom(manifest, rows),
    });
    return { rows };
  });
}

/** The audit entry of an import. */
export const importedFrom = ({ exported_at, snapshot, epoch }: Manifest, rows: number) => ({
  exported_at,
  rows,
  ...(snapshot !== undefined && { snapshot, epoch }),
});

/** Gives the rows of a table's file to `bring`, some at a time; returns how many there were. */
export type Take = (each: LocationTable, bring: (lines: string[]) => Promise<unknown>) => Promise<number>;

/** Takes the rows of the files of an export. */
export const taking =
  (manifest: Manifest, read: ReadTable, log: (line: string) => void): Take =>
  async (each, bring) => {
    const file = manifest.tables.find(({ table }) => table === each.table);
    if (file === undefined || file.file !== each.file) throw misfit(`there is no ${each.file}`);
    let done = 0;
    for await (const lines of read(file)) {
      await bring(lines);
      const before = done;
      done += lines.length;
      if (Math.floor(done / tellEvery) > Math.floor(before / tellEvery) && done < file.rows)
        log(`${each.table}: ${done} of ${file.rows} rows`);
    }
    if (file.rows > 0) log(`${each.table}: ${file.rows} rows`);
    return done;
  };

/** Replaces what triggers wrote of the rows that came; work that waits is left out where it is done in the other database. */
export async function takeDerived(
  tx: Transaction,
  { location: { id }, epoch }: Manifest,
  take: Take,
  isPendingLeft: boolean,
): Promise<number> {
  let rows = 0;
  for (const each of belongings.filter(({ derived }) => derived === true)) {
    await tx.run(sql.clearRows(each), [id]);
    if (isPendingLeft && each.pending === true) continue;
    rows += await take(each, (lines) => tx.run(sql.insertRows(each), [lines]));
  }
  await tx.run(sql.adoptVersion, [id, epoch]);
  for (const each of belongings)
    for (const counted of each.counted) await tx.run(sql.moveSequence(each, counted), [id]);
  return rows;
}

/** Throws `conflict` when the location is in the database already, `validation_error` when its export would not fit there. */
export async function refuseMisfit(
  on: Queryable,
  export_: Pick<Manifest, 'location' | 'schema' | 'encryption_keys'>,
  keyIds: readonly string[],
): Promise<void> {
  await refuseOtherForm(on, export_, keyIds);
  const { location } = export_;
  const [here] = await on.run(sql.findForImport, [location.id, location.code]);
  if (here?.there === true)
    throw conflict('guarded', `The location ${location.id} is in this database already.`);
  if (here?.taken === true)
    throw conflict('guarded', `Another location of this database has the code ${location.code}.`);
}

/** Throws `validation_error` when rows of that export do not fit this database. */
export async function refuseOtherForm(
  on: Queryable,
  { location, schema, encryption_keys }: Pick<Manifest, 'location' | 'schema' | 'encryption_keys'>,
  keyIds: readonly string[],
): Promise<void> {
  const unknown = encryption_keys.filter((key) => !keyIds.includes(key));
  if (unknown.length > 0)
    throw misfit(
      `secrets are sealed with ${unknown.map((key) => `"${key}"`).join(', ')}: add it to ENCRYPTION_KEY behind your own, and then run comanda secrets rotate-key`,
    );
  const [here] = await on.run(sql.findForImport, [location.id, location.code]);
  if (here?.migration !== schema.migration || here.checksum !== schema.checksum)
    throw misfit(
      `its database was at migration ${schema.migration}, this one is at ${here?.migration}, or has it in another form: bring both to the same version by comanda migrate, and export again`,
    );
}

/** The refusal of a second import at once. */
export const importUnderWay = () =>
  conflict('guarded', 'Another import is under way in this database; one at a time: run it again then.');

const misfit = (message: string) => invalid({ path: 'manifest', message });
