import { type Database, newId, type PrismaTransaction, type rows, sqlState } from '@comanda/db';
import { invalid } from '../../errors.ts';
import { type Actor, auditAs } from '../../request/audit.ts';
import { wireTime } from '../../wire.ts';
import { type Location, type LocationCreate, noTimeZone } from './schema.ts';

/** Makes a location from the command line. Throws `validation_error` for a zone that the database does not know. */
export async function createLocation(database: Database, input: LocationCreate): Promise<Location> {
  return knowingZones(() =>
    database.prismaTransaction(undefined, (tx) => insertLocation(tx, undefined, input)),
  );
}

/** Lists every location, oldest first. */
export async function listLocations(database: Database): Promise<Location[]> {
  const found = await database.prisma.location.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  return found.map(toLocation);
}

/**
 * Stores a location with one enabled payment method, "Cash", and writes it down: at the actor's location, or for
 * the command line at the new one.
 */
export async function insertLocation(
  tx: PrismaTransaction,
  actor: Actor | undefined,
  input: LocationCreate,
): Promise<Location> {
  const id = newId();
  const row = await tx.location.create({
    data: { id, ...input, paymentMethods: { create: { id: newId(), name: 'Cash', type: 'cash' } } },
  });
  const by: Actor = actor ?? { kind: 'command_line', locationId: id };
  await auditAs(tx, by, 'locations.create', id, { before: null, after: input });
  return toLocation(row);
}

/** A location as it is shown, its times in its own zone. */
export function toLocation(row: rows.Location): Location {
  const { id, name, timezone, currency } = row;
  return { id, name, timezone, currency, created_at: wireTime(row.createdAt, timezone) };
}

/** Runs `work`; a zone that JavaScript knows and the database does not is a `validation_error`, too. */
export async function knowingZones<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (sqlState(error)?.code !== '22023') throw error;
    throw invalid({ path: 'timezone', message: noTimeZone });
  }
}
