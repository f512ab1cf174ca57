import { belongings, type Database, isId } from '@comanda/db';
import { auditAs } from '../../call/audit.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import * as statements from './statements.ts';
import { showLocation } from './status.store.ts';
import * as sql from './whole.statements.ts';

/** Rows in one transaction: other locations never wait, and this one for no longer than that takes. */
const batch = 500;

/**
 * Deletes a disabled location with all that it has, in batches. Cut off it is begun again by the same call, and until
 * then cannot be enabled. No event is published and no webhook is sent; the audit keeps a line. Returns the number of
 * deleted rows of each table; rows deleted by a foreign key are not counted. Throws `resource_not_found`,
 * `validation_error` when `confirm` is not its name, and `conflict` when it is not disabled.
 */
export async function deleteLocation(
  database: Database,
  id: string,
  { confirm, log }: { confirm: string | undefined; log: (line: string) => void },
): Promise<Record<string, number>> {
  if (!isId(id)) throw notFound('Location');
  const { name, status } = await showLocation(database, id);
  if (confirm !== name)
    throw invalid({ path: 'confirm', message: `must be the name of the location, "${name}"` });
  if (status !== 'disabled' && status !== 'deleting')
    throw conflict('guarded', `Disable the location first: comanda locations disable ${id}`);
  await database.run(statements.updateLocation, [id, JSON.stringify({ status: 'deleting' })]);
  const gone: Record<string, number> = {};
  // Triggers write of what goes, and what was under way may come late: until a whole pass finds nothing.
  for (let found = true; found; ) {
    found = false;
    for (const each of belongings.toReversed()) {
      if (each.goesWith !== undefined) continue;
      for (let count = batch; count === batch; ) {
        count = await database.transaction(undefined, async (tx) => {
          await tx.run(sql.beginRemoval, []);
          const [removed] = await tx.run(sql.removeRows(each), [id, batch]);
          await tx.run(sql.forgetNotes, [id]);
          return removed?.count ?? 0;
        });
        if (count === 0) continue;
        found = true;
        gone[each.table] = (gone[each.table] ?? 0) + count;
        log(`${each.table}: ${gone[each.table]} rows`);
      }
    }
  }
  await database.transaction(undefined, async (tx) => {
    await tx.run(sql.beginRemoval, []);
    const [removed] = await tx.run(sql.removeLocation, [id]);
    if (removed === undefined) throw notFound('Location');
    auditAs(tx, { kind: 'command_line', locationId: null }, 'locations.delete', id, {
      before: removed,
      after: null,
    });
  });
  return gone;
}
