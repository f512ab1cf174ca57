import { belongings, type LocationTable, ownRow, type Queryable, type SqlDatabase } from '@comanda/db';
import { conflict, invalid } from '../../errors.ts';
import { auditAs } from '../../request/audit.ts';
import { forgetMoved } from './moved.store.ts';
import type { ExportedTable, Manifest } from './whole.schema.ts';
import * as sql from './whole.statements.ts';

/** A table that takes long says how far it is after each so many rows. */
const tellEvery = 50_000;

/** The lines of a file, some at a time. Throws at the end where they are not those that the manifest tells of. */
export type ReadTable = (exported: ExportedTable) => AsyncIterable<string[]>;

/**
 * Brings an exported location into this database with all its ids, numbers, times, keys and endpoints, in one transaction:
 * all of it or nothing. It is disabled then, and nobody is told of what came. `keyIds` are the keys of ENCRYPTION_KEY here.
 * Throws `conflict` when it is here already or another import is under way, `validation_error` for an export that does not fit.
 */
export async function importLocation(
  database: SqlDatabase,
  manifest: Manifest,
  read: ReadTable,
  { keyIds, tell }: { keyIds: readonly string[]; tell: (line: string) => void },
): Promise<{ rows: number }> {
  const { id } = manifest.location;
  return database.transaction(undefined, async (tx) => {
    const [lock] = await tx.run(sql.beginImport, []);
    if (lock?.free !== true) throw importUnderWay();
    await refuseMisfit(tx, manifest, keyIds);
    let rows = 0;
    const take = async (each: LocationTable) => {
      const file = manifest.tables.find(({ table }) => table === each.table);
      if (file === undefined || file.file !== each.file) throw misfit(`there is no ${each.file}`);
      let done = 0;
      for await (const lines of read(file)) {
        if (each === ownRow) await tx.run(sql.insertLocation, lines);
        else await tx.run(sql.insertRows(each), [lines]);
        rows += lines.length;
        const before = done;
        done += lines.length;
        if (Math.floor(done / tellEvery) > Math.floor(before / tellEvery) && done < file.rows)
          tell(`${each.table}: ${done} of ${file.rows} rows`);
      }
      tell(`${each.table}: ${file.rows} rows`);
    };
    await take(ownRow);
    await forgetMoved(tx, manifest.location);
    for (const each of belongings.filter(({ derived }) => derived !== true)) await take(each);
    for (const each of belongings.filter(({ derived }) => derived === true)) {
      await tx.run(sql.clearRows(each), [id]);
      await take(each);
    }
    await tx.run(sql.adoptVersion, [id, manifest.epoch]);
    for (const each of belongings)
      for (const counted of each.counted) await tx.run(sql.moveSequence(each, counted), [id]);
    auditAs(tx, { kind: 'command_line', locationId: id }, 'locations.import', id, {
      before: null,
      after: { exported_at: manifest.exported_at, rows },
    });
    return { rows };
  });
}

/** Throws `conflict` when the location is in the database already, `validation_error` when its export would not fit there. */
export async function refuseMisfit(
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
  if (here?.there === true)
    throw conflict('guarded', `The location ${location.id} is in this database already.`);
  if (here?.taken === true)
    throw conflict('guarded', `Another location of this database has the code ${location.code}.`);
  if (here?.migration !== schema.migration || here.checksum !== schema.checksum)
    throw misfit(
      `its database was at migration ${schema.migration}, this one is at ${here?.migration}, or has it in another form: bring both to the same version by comanda migrate, and export again`,
    );
}

/** The refusal of a second import at once. */
export const importUnderWay = () =>
  conflict('guarded', 'Another import is under way in this database; one at a time: run it again then.');

const misfit = (message: string) => invalid({ path: 'manifest', message });
