import type { JoinedRead } from '../../capacity/joined-reads.ts';
import { readCurrentVersions, type StampedVersion } from './statements.ts';

/**
 * The version of a location's present catalog, by the location's id; none when it was not read since it changed. Read
 * for every request, once for all that wait together: that is all that an unchanged catalog costs.
 */
export const currentVersions: JoinedRead<string, StampedVersion> = {
  textOf: (locationId) => locationId,
  async read(database, ids) {
    const rows = await database.run(readCurrentVersions, [ids]);
    return new Map(rows.map((row) => [row.location_id, row]));
  },
};
