import type { Database } from '@comanda/db';
import { joinReads } from '../../places/joined-reads.ts';
import { readCurrentVersions, type StampedVersion } from './statements.ts';

/**
 * The version of what a location's catalog is now; undefined when nobody has read it since it changed. Read anew for
 * every request, but for all that wait at once together: that is all that an unchanged catalog costs.
 */
export function currentVersionOf(
  database: Database,
  locationId: string,
): Promise<StampedVersion | undefined> {
  let read = readers.get(database);
  if (read === undefined) {
    read = joinReads(
      async (ids: string[]) => {
        const rows = await database.run(readCurrentVersions, [ids]);
        return new Map(rows.map((row) => [row.location_id, row]));
      },
      (id) => id,
    );
    readers.set(database, read);
  }
  return read(locationId);
}

const readers = new WeakMap<Database, (locationId: string) => Promise<StampedVersion | undefined>>();
