import { belongings, type Database, type LocationTable, ownRow } from '@comanda/db';
import { auditAs } from '../../call/audit.ts';
import { conflict } from '../../errors.ts';
import * as changed from './changes.statements.ts';
import {
  type Importing,
  importedFrom,
  importUnderWay,
  type ReadTable,
  refuseOtherForm,
  takeDerived,
  taking,
} from './import.store.ts';
import type { Manifest } from './whole.schema.ts';
import * as sql from './whole.statements.ts';

/** Keys of rows that are deleted in one statement. */
const batch = 5_000;

/**
 * Brings the rows that the copy of a location lacks, in one transaction: all of them or nothing, and nothing when it
 * has them already. No event is published for these rows. Throws `conflict` when the copy is another one than that for
 * which it was exported, or an import is under way.
 */
export async function applyChanges(
  database: Database,
  manifest: Manifest,
  read: ReadTable,
  { keyIds, log }: Importing,
): Promise<void> {
  const { changes, snapshot, location } = manifest;
  const { id } = location;
  if (changes === undefined || snapshot === undefined) throw misplaced();
  await database.transaction(undefined, async (tx) => {
    const [lock] = await tx.run(sql.beginImport, []);
    if (lock?.free !== true) throw importUnderWay();
    await refuseOtherForm(tx, manifest, keyIds);
    const [copied] = await tx.run(changed.findCopied, [id, changes.copy]);
    if (copied === undefined) throw misplaced();
    if (copied.snapshot === snapshot && copied.epoch === manifest.epoch)
      return log('the copy has it already');
    if (changes.since !== null && copied.snapshot !== changes.since) throw misplaced();

    const take = taking(manifest, read, log);
    const quietly = taking(manifest, read, () => {});
    const tables = belongings.filter(({ derived }) => derived !== true);
    const isWhole = changes.since === null;
    const stays = (each: LocationTable) => each.updatedInCopy === true;
    for (const each of tables.toReversed()) {
      if (isWhole) await tx.run(changed.clearCopied(each), [id, changes.copy]);
      const gone = changes.gone[each.table] ?? [];
      for (let at = 0; at < gone.length; at += batch)
        await tx.run(changed.deleteKeys(each), [id, gone.slice(at, at + batch)]);
      if (!isWhole && !stays(each))
        await quietly(each, (lines) => tx.run(changed.deleteRows(each), [id, lines]));
    }
    let rows = await take(ownRow, ([line]) => tx.run(changed.updateLocation, [line]));
    for (const each of tables)
      rows += await take(each, async (lines) => {
        if (!stays(each)) return tx.run(sql.insertRows(each), [lines]);
        await tx.run(changed.updateRows(each), [id, lines]);
        return tx.run(changed.insertMissing(each), [id, lines]);
      });
    const isPendingLeft = !manifest.tables.some(({ table }) =>
      belongings.some((each) => each.table === table && each.pending === true),
    );
    rows += await takeDerived(tx, manifest, take, isPendingLeft);
    auditAs(tx, { kind: 'command_line', locationId: id }, 'locations.import', id, {
      before: null,
      after: { ...importedFrom(manifest, rows), copy: changes.copy },
    });
  });
}

const misplaced = () =>
  conflict(
    'guarded',
    'The export does not match what the copy lacks: run the same command again, or take the move back.',
  );
