import type { JoinedRead } from '../../places/joined-reads.ts';
import { readCurrentVersions, type StampedVersion } from './statements.ts';

/**
 * The version of what a location's catalog is now, by the location's id; none when nobody has read it since it changed.
 * Read anew for every request, but for all that wait at once together: that is all that an unchanged catalog costs.
 */
export const currentVersions: JoinedRead<string, StampedVersion> = {
  textOf: (locationId) => locationId,
  async read(database, ids) {
    const rows = await database.run(readCurrentVersions, [ids]);
    return new Map(rows.map((row) => [row.location_id, row]));
  },
};
