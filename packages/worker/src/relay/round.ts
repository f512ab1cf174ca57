import { type Database, isState, isUnavailable, type Queryable } from '@comanda/db';
import type { Logger } from 'pino';
import {
  type Batch,
  cutIntoParts,
  type Part,
  postpone,
  readBatches,
  readDueLocations,
  readSetAside,
  readWaiting,
  takeLocations,
} from './changes.ts';
import { isolate, publishOrIsolate } from './isolate.ts';
import { planEvents } from './plan.ts';
import { publishUnits } from './publish.ts';
import { createSchedule, type Schedule } from './schedule.ts';

/** What one round of the relay did. */
export interface Round {
  /** Changes it saw; none means that nothing waits that may be published now. */
  changes: number;
  events: number;
}

/** Changes in a round, as long as what comes first somewhere is not more. */
const roundSize = 2_000;
/** Locations whose locks are tried for at once: one may fill a round. Each time fewer are left, so more are tried for. */
const firstTake = 1;
const growth = 4;
/** Locations in a round: the server's table of locks is for all sessions. */
const mostLocations = 341;

/**
 * Publishes what comes first, location by location, those that no other worker holds, in one transaction. What cannot
 * be published is found location by location, and there by halving, so that the others pass. With a schedule a
 * transaction that is too big is cut beside what comes next; without, before this ends.
 *
 * @throws what the database throws while it cannot be used; nothing is lost then.
 */
export async function publishRound(database: Database, log: Logger, given?: Schedule): Promise<Round> {
  const schedule = given ?? createSchedule();
  const { together, alone } = schedule.next(await readWaiting(database));
  const round = await publishLocations(database, log, schedule, together);
  for (const locationId of alone.slice(0, 1)) {
    const more = await publishLocations(database, log, schedule, [locationId]);
    round.changes += more.changes;
    round.events += more.events;
  }
  if (given === undefined) await schedule.idle();
  return round;
}

/** Tries again what was set aside and is due. */
export async function publishSetAside(database: Database, log: Logger): Promise<Round> {
  const round: Round = { changes: 0, events: 0 };
  for (const locationId of await readDueLocations(database)) {
    const units = await database.transaction(undefined, async (tx) => {
      const taken = await takeLocations(tx, [locationId]);
      return taken.length === 0 ? [] : planEvents(await readSetAside(tx, locationId, 100));
    });
    round.changes += units.length;
    try {
      round.events += await publishOrIsolate(database, log, units);
    } catch (error) {
      if (!isHeld(error)) throw error;
      const rows = units.flatMap((unit) => unit.rows);
      await postpone(database, rows);
      log.warn({ err: error, locationId }, held);
    }
  }
  return round;
}

async function publishLocations(
  database: Database,
  log: Logger,
  schedule: Schedule,
  locationIds: readonly string[],
): Promise<Round> {
  if (locationIds.length === 0) return { changes: 0, events: 0 };
  let batches: Batch[] = [];
  try {
    const events = await database.transaction(undefined, async (tx) => {
      batches = await takeBatches(tx, locationIds);
      const units = batches.flatMap(({ changes }) => planEvents(changes));
      return units.length === 0 ? 0 : publishUnits(tx, units);
    });
    for (const { locationId, changes, toCut } of batches) {
      schedule.served(locationId);
      if (toCut !== undefined && changes.length === 0)
        schedule.during(locationId, cut(database, log, schedule, toCut));
    }
    return { changes: changesIn(batches), events };
  } catch (error) {
    const [batch, ...others] = batches;
    if (batch === undefined || (isUnavailable(error) && !isHeld(error))) throw error;
    if (others.length === 0)
      return { changes: 1, events: await recover(database, log, schedule, batch, error) };
    let events = 0;
    for (const { locationId } of batches)
      events += (await publishLocations(database, log, schedule, [locationId])).events;
    return { changes: changesIn(batches), events };
  }
}

/** Takes locations and reads what they have, until there is enough for a round. */
async function takeBatches(tx: Queryable, locationIds: readonly string[]): Promise<Batch[]> {
  const batches: Batch[] = [];
  let tried = 0;
  for (let size = firstTake; tried < Math.min(locationIds.length, mostLocations); size *= growth) {
    const taken = await takeLocations(tx, locationIds.slice(tried, tried + size));
    // In a statement of its own, which sees what those who held the locks before have committed.
    if (taken.length > 0) batches.push(...(await readBatches(tx, taken)));
    if (changesIn(batches) >= roundSize) break;
    tried += size;
  }
  return batches;
}

/** What alone could not be published: somebody holds a row there, or something in it cannot be shown. */
async function recover(
  database: Database,
  log: Logger,
  schedule: Schedule,
  batch: Batch,
  cause: unknown,
): Promise<number> {
  let found = cause;
  try {
    if (!isHeld(cause)) return await isolate(database, log, batch, cause);
  } catch (error) {
    if (!isHeld(error)) throw error;
    found = error;
  }
  const { locationId } = batch;
  const seconds = schedule.putBack(locationId);
  log.warn({ err: found, locationId, seconds }, held);
  return 0;
}

const held = 'a location is put back: somebody holds rows of it';

/** Cuts what is too big in a transaction of its own, beside the rounds of the other locations. */
async function cut(database: Database, log: Logger, schedule: Schedule, part: Part): Promise<void> {
  try {
    await database.transaction(undefined, async (tx) => {
      const [taken] = await takeLocations(tx, [part.locationId]);
      if (taken !== undefined) await cutIntoParts(tx, part);
    });
  } catch (error) {
    schedule.putBack(part.locationId);
    log.warn({ err: error, locationId: part.locationId }, 'a big transaction could not be cut');
  }
}

/** Whether somebody else holds a row, or two met. */
function isHeld(error: unknown): boolean {
  return isState(error, 'lockTimeout', 'collided');
}

function changesIn(batches: readonly Batch[]): number {
  return batches.reduce((sum, { changes, toCut }) => sum + changes.length + (toCut === undefined ? 0 : 1), 0);
}
