import type { SqlDatabase } from '@comanda/db';
import type { AuditActor } from '../request/audit.ts';
import type { Lookup } from '../request/context.ts';
import { chosenLocation } from '../resources/locations/store.ts';

/** Where a command works: what its services look up with, and as whom it is written down. */
export interface Place extends Lookup {
  actor: AuditActor;
}

/** The place that `--location` names, or the only one there is. Throws `validation_error`. */
export async function placeOf(database: SqlDatabase, location: string | undefined): Promise<Place> {
  const { id: locationId } = await chosenLocation(database, location);
  return {
    app: { database },
    reads: database,
    caller: { locationId },
    actor: { kind: 'command_line', locationId },
  };
}
