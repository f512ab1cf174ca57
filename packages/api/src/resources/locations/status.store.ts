import { type Database, isId, type Queryable } from '@comanda/db';
import { auditAs } from '../../call/audit.ts';
import { notFound } from '../../errors.ts';
import type { LocationState, LocationUpdate } from './schema.ts';
import * as sql from './statements.ts';
import { knowingZones } from './store.ts';

/** A status that a person sets for a location. */
export type LocationStatus = 'active' | 'read_only' | 'disabled';

/** One location with its status. Throws `resource_not_found`. */
export async function showLocation(database: Database, id: string): Promise<LocationState> {
  const [found] = await database.run(sql.showLocation, [isId(id) ? id : null]);
  if (found === undefined) throw notFound('Location');
  return JSON.parse(found.doc) as LocationState;
}

/** Changes the fields that are given, from the command line. Throws `resource_not_found`, `validation_error`. */
export function changeLocation(
  database: Database,
  { id, ...changes }: LocationUpdate,
): Promise<LocationState> {
  return knowingZones(() => change(database, id, 'locations.update', changes));
}

/**
 * Enables a location, or disables it: of a disabled one keys are refused, of one that is read only writes, and of both no
 * webhook is sent and no job is done; what was accepted waits. It holds for every process within a second. Throws
 * `resource_not_found`, and `conflict` for one that is being deleted.
 */
export function setLocationStatus(
  database: Database,
  id: string,
  status: LocationStatus,
): Promise<LocationState> {
  return change(database, id, status === 'active' ? 'locations.enable' : 'locations.disable', { status });
}

async function change(
  database: Database,
  id: string,
  operation: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<LocationState> {
  if (!isId(id)) throw notFound('Location');
  await database.transaction(undefined, async (tx) => {
    const [changed] = await tx.run(sql.updateLocation, [id, JSON.stringify(changes)]);
    if (changed === undefined) throw notFound('Location');
    const { before, after } = changed;
    auditAs(tx, { kind: 'command_line', locationId: id }, operation, id, { before, after });
  });
  return showLocation(database, id);
}

/** A location as its keys name it. */
export interface Named {
  id: string;
  code: string;
}

/** Says that a location is in another cell from now on: every process answers its keys `moved`, within a second. */
export async function rememberMoved(on: Queryable, { id, code }: Named, cell: string): Promise<void> {
  await on.run(sql.rememberMoved, [code, id, cell]);
}

/** Says that a location is here: as when it came back, or its move is given up. */
export async function forgetMoved(on: Queryable, { code }: Pick<Named, 'code'>): Promise<void> {
  await on.run(sql.forgetMoved, [code]);
}
