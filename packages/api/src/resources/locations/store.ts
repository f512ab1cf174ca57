import { type Database, isState, newId, type Transaction } from '@comanda/db';
import { type AuditActor, auditAs } from '../../call/audit.ts';
import { invalid } from '../../errors.ts';
import {
  type CodedLocation,
  type Location,
  type LocationCreate,
  type LocationState,
  noTimeZone,
} from './schema.ts';
import * as sql from './statements.ts';

/** Makes a location from the command line. Throws `validation_error` for a zone that the database does not know. */
export async function createLocation(database: Database, input: LocationCreate): Promise<CodedLocation> {
  return knowingZones(() => database.transaction(undefined, (tx) => insertLocation(tx, undefined, input)));
}

/** Lists every location with its status, oldest first. */
export async function listLocations(database: Database): Promise<LocationState[]> {
  const found = await database.run(sql.listLocations, []);
  return found.map(({ doc }) => JSON.parse(doc) as LocationState);
}

/** The location that a command works at: the given one, or the only one. Throws `validation_error`. */
export async function chosenLocation(database: Database, id: string | undefined): Promise<Location> {
  const all = await listLocations(database);
  const [first, ...more] = id === undefined ? all : all.filter((location) => location.id === id);
  if (first !== undefined && more.length === 0) return first;
  throw invalid({ path: 'location', message: reasonOf(id, first) });
}

function reasonOf(id: string | undefined, first: Location | undefined): string {
  if (id !== undefined) return `there is no location ${id}`;
  return first === undefined
    ? 'there is no location yet; create one first'
    : 'there are several; say which (comanda locations list)';
}

/**
 * Stores a location with one enabled payment method, "Cash", and writes it down: at the actor's location, or for
 * the command line at the new one.
 */
export async function insertLocation(
  tx: Transaction,
  actor: AuditActor | undefined,
  input: LocationCreate,
): Promise<CodedLocation> {
  const id = newId();
  const [made] = await tx.run(sql.insertLocation, [
    id,
    input.name,
    input.timezone,
    input.currency,
    input.sandbox ?? false,
  ]);
  const by: AuditActor = actor ?? { kind: 'command_line', locationId: id };
  auditAs(tx, by, 'locations.create', id, { before: null, after: input });
  return JSON.parse(made?.doc ?? '') as CodedLocation;
}

/** Runs `work`; a zone that JavaScript knows and the database does not is a `validation_error`, too. */
export async function knowingZones<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isState(error, 'invalidParameter')) throw error;
    throw invalid({ path: 'timezone', message: noTimeZone });
  }
}
