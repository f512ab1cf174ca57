import { type Database, isUnavailable, type Transaction } from '@comanda/db';
import type { Logger } from 'pino';
import {
  type Batch,
  cutIntoResources,
  isLocated,
  noteCatalog,
  type Part,
  setAside,
  stillWait,
  takeLocations,
} from './changes.ts';
import { planEvents, type Unit } from './plan.ts';
import { publishUnits } from './publish.ts';

/**
 * Publishes what it can of a location's batch that failed: cut resource by resource, what still fails alone is found by
 * halving and set aside, with its reason. Keeps the order. Returns how many events.
 *
 * @throws what the database throws while it cannot be used, or while another transaction holds a row.
 */
export async function isolate(
  database: Database,
  log: Logger,
  { locationId, changes }: Batch,
  cause: unknown,
): Promise<number> {
  const parts = new Map<string, Part>(
    changes.map(({ seed, part }) => [`${seed} ${part}`, { locationId, seed, part }]),
  );
  const cut = await database.transaction(undefined, async (tx) => {
    if ((await takeLocations(tx, [locationId])).length === 0) return [];
    const found = [];
    for (const part of parts.values()) found.push(...(await cutIntoResources(tx, part)));
    return found;
  });
  return halve(database, log, planEvents(cut), cause);
}

/** Publishes units of one location, as `isolate` does when that fails. */
export async function publishOrIsolate(
  database: Database,
  log: Logger,
  units: readonly Unit[],
): Promise<number> {
  try {
    return await publishAlone(database, units);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    return halve(database, log, units, error);
  }
}

async function halve(
  database: Database,
  log: Logger,
  units: readonly Unit[],
  cause: unknown,
): Promise<number> {
  const [unit] = units;
  if (unit === undefined) return 0;
  if (units.length === 1) {
    await giveUp(database, log, unit, cause);
    return 0;
  }
  const middle = Math.ceil(units.length / 2);
  let events = 0;
  for (const half of [units.slice(0, middle), units.slice(middle)])
    events += await publishOrIsolate(database, log, half);
  return events;
}

/** Publishes units that were planned in an earlier transaction, unless another worker has done so meanwhile. */
function publishAlone(database: Database, units: readonly Unit[]): Promise<number> {
  return ifTheyWait(database, units, 0, async (tx) => (await publishUnits(tx, units)).events);
}

async function giveUp(database: Database, log: Logger, unit: Unit, cause: unknown): Promise<void> {
  const { resource, resourceId, locationId, seed, rows, touchesCatalog, events } = unit;
  // Removed since the changes were read: the next round finds no subscriber.
  if (!(await isLocated(database, locationId))) return;
  const requestId = events[0]?.requestId ?? undefined;
  log.error(
    { err: cause, requestId, resource, resourceId, locationId },
    'a change cannot be published and is set aside',
  );
  await ifTheyWait(database, [unit], undefined, async (tx) => {
    if (touchesCatalog) noteCatalog(tx, [{ locationId, seed }]);
    await setAside(tx, rows, cause instanceof Error ? cause.message : String(cause));
  });
}

function ifTheyWait<Result>(
  database: Database,
  units: readonly Unit[],
  otherwise: Result,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const [unit] = units;
  return database.transaction(undefined, async (tx) => {
    if (unit === undefined || (await takeLocations(tx, [unit.locationId])).length === 0) return otherwise;
    const rows = units.flatMap((each) => each.rows);
    return (await stillWait(tx, rows)) ? work(tx) : otherwise;
  });
}
