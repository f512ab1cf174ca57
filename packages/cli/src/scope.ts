import type { AuditActor } from '@comanda/api/src/call/audit.ts';
import type { Lookup } from '@comanda/api/src/call/context.ts';
import { chosenLocation } from '@comanda/api/src/resources/locations/store.ts';
import { type Database, isId, statement } from '@comanda/db';

/** The location that a command works on: what its services look up with, and the actor that the audit records. */
export interface Scope extends Lookup {
  actor: AuditActor;
}

/**
 * The scope of the location that `--location` names, else that of what `id` names, else the only one there is. Throws `validation_error` where there are
 * several and neither says which.
 */
export async function scopeOf(database: Database, location: string | undefined, id?: string): Promise<Scope> {
  const owner =
    location === undefined && id !== undefined && isId(id) ? await database.run(findOwner, [id]) : [];
  const { id: locationId } = await chosenLocation(database, location ?? owner[0]?.id);
  return {
    app: { database },
    caller: { locationId },
    actor: { kind: 'command_line', locationId },
  };
}

// Every key begins with the location, so each location is asked by its keys: there are few, and no index is for this alone.
const findOwner = statement<{ id: string }>(
  'find_location_of_id',
  `select l.id from locations l where ${[
    'orders',
    'webhook_endpoints',
    'webhook_deliveries',
    'webhook_attempts',
    'sync_jobs',
  ]
    .map((table) => `exists (select from ${table} t where t.location_id = l.id and t.id = $1::uuid)`)
    .join('\n     or ')} limit 1`,
);
