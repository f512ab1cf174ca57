import { type Database, isState, isUnavailable, type Queryable } from '@comanda/db';
import type { Logger } from 'pino';
import type { FirstAttempts, HandedDeliveries } from '../deliveries/first-attempts.ts';
import {
  type Batch,
  cutIntoParts,
  type Part,
  postpone,
  readBatches,
  readSetAside,
  readSetAsideLocations,
  readWaiting,
  takeLocations,
  takingLocations,
} from './changes.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';
import { isolate, publishOrIsolate } from './isolate.ts';
import { planEvents } from './plan.ts';
import { publishUnits } from './publish.ts';

/** The result of one round of the relay. */
export interface Round {
  /** Changes it saw; none means that nothing waits that may be published now. */
  changes: number;
  events: number;
  /** How many transactions, or parts of them, the changes are of. */
  transactions: number;
  /** Whether changes waited when it began, be it at locations that it did not look at. */
  waited: boolean;
}

/** The result of trying again what was set aside. */
export interface SetAside extends Pick<Round, 'changes' | 'events'> {
  /** Whether changes were set aside when it began, due or not. */
  waited: boolean;
}

/** The tools of a relay's rounds. */
export interface RoundTools {
  /** Remembers who was served. */
  queue: FairQueue;
  /** The receiver of first attempts; without, each endpoint gets a job. */
  first?: FirstAttempts;
}

type Published = Omit<Round, 'waited'>;

interface Rounds extends RoundTools {
  database: Database;
  log: Logger;
}

const nothing = (): Published => ({ changes: 0, events: 0, transactions: 0 });

/** Changes in a round, as long as what comes first somewhere is not more. */
const roundSize = 2_000;
/** Locations whose locks are tried for at once: four may fill a round. Each time fewer are left, so more are tried for. */
const firstTake = 4;
const growth = 4;
/** Locations in a round: the server's table of locks is for all sessions. */
const mostLocations = 341;

/**
 * Publishes the first changes, location by location, of those that no other worker holds, in one transaction. A change
 * that cannot be published is found location by location, and there by halving, so that the others pass. With the tools
 * of a relay a transaction that is too big is split in parallel with the next ones; without, before this ends.
 *
 * @throws what the database throws while it cannot be used; nothing is lost then.
 */
export async function publishRound(database: Database, log: Logger, given?: RoundTools): Promise<Round> {
  const tools = given ?? { queue: createFairQueue() };
  const { queue } = tools;
  const waiting = await readWaiting(database);
  const { together, alone } = queue.next(waiting);
  const rounds = { database, log, ...tools };
  const round = await publishLocations(rounds, together);
  for (const locationId of alone.slice(0, 1)) {
    const more = await publishLocations(rounds, [locationId]);
    round.changes += more.changes;
    round.events += more.events;
    round.transactions += more.transactions;
  }
  if (given === undefined) await queue.idle();
  return { ...round, waited: waiting.length > 0 };
}

/** Tries again what was set aside and is due. */
export async function publishSetAside(database: Database, log: Logger): Promise<SetAside> {
  const locations = await readSetAsideLocations(database);
  const round = { changes: 0, events: 0, waited: locations.length > 0 };
  for (const { locationId, due } of locations) {
    if (!due) continue;
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

async function publishLocations(rounds: Rounds, locationIds: readonly string[]): Promise<Published> {
  if (locationIds.length === 0) return nothing();
  const { database, log, queue, first } = rounds;
  let batches: Batch[] = [];
  let handed: HandedDeliveries[] = [];
  try {
    const taking = takingLocations(locationIds.slice(0, firstTake));
    const events = await database.transaction(taking, async (tx, taken) => {
      handed = [];
      batches = await takeBatches(tx, locationIds, taken);
      const units = batches.flatMap(({ changes }) => planEvents(changes));
      if (units.length === 0) return 0;
      const published = await publishUnits(tx, units, first);
      handed = published.handed;
      return published.events;
    });
    await handOver(first, handed);
    for (const { locationId, changes, toCut } of batches) {
      queue.served(locationId);
      if (toCut !== undefined && changes.length === 0)
        queue.during(locationId, cut(database, log, queue, toCut));
    }
    return { changes: changesIn(batches), events, transactions: transactionsIn(batches) };
  } catch (error) {
    const [batch, ...others] = batches;
    const isGone = isUnavailable(error) && !isHeld(error);
    // A commit whose answer was lost may have been made: the next look at them shows it.
    if (isGone) await handOver(first, handed.map(lookedAtAnew));
    if (batch === undefined || isGone) throw error;
    if (others.length === 0)
      return { changes: 1, events: await recover(rounds, batch, error), transactions: 1 };
    let events = 0;
    for (const { locationId } of batches) events += (await publishLocations(rounds, [locationId])).events;
    return { changes: changesIn(batches), events, transactions: transactionsIn(batches) };
  }
}

async function handOver(
  first: FirstAttempts | undefined,
  handed: readonly HandedDeliveries[],
): Promise<void> {
  if (first !== undefined) await Promise.all(handed.map((one) => first.hand(one)));
}

const lookedAtAnew = (handed: HandedDeliveries): HandedDeliveries => ({
  ...handed,
  sendBy: Number.NEGATIVE_INFINITY,
});

/** Reads what the locations have that were taken, and takes more, until there is enough for a round. */
async function takeBatches(
  tx: Queryable,
  locationIds: readonly string[],
  first: readonly { locationId: string }[],
): Promise<Batch[]> {
  const batches: Batch[] = [];
  let taken = first.map(({ locationId }) => locationId);
  let tried = firstTake;
  for (let size = firstTake * growth; ; size *= growth) {
    // In a statement of its own, which sees what those who held the locks before have committed.
    if (taken.length > 0) batches.push(...(await readBatches(tx, taken)));
    if (changesIn(batches) >= roundSize || tried >= Math.min(locationIds.length, mostLocations))
      return batches;
    taken = await takeLocations(tx, locationIds.slice(tried, tried + size));
    tried += size;
  }
}

/**
 * The changes that could not be published alone: another transaction holds a row there, or some row cannot be shown.
 */
async function recover({ database, log, queue }: Rounds, batch: Batch, cause: unknown): Promise<number> {
  let found = cause;
  try {
    if (!isHeld(cause)) return await isolate(database, log, batch, cause);
  } catch (error) {
    if (!isHeld(error)) throw error;
    found = error;
  }
  const { locationId } = batch;
  const seconds = queue.putBack(locationId);
  log.warn({ err: found, locationId, seconds }, held);
  return 0;
}

const held = 'a location is put back: another transaction holds rows of it';

/** Splits one that is too big in a transaction of its own, in parallel with the rounds of the other locations. */
async function cut(database: Database, log: Logger, queue: FairQueue, part: Part): Promise<void> {
  try {
    await database.transaction(undefined, async (tx) => {
      const [taken] = await takeLocations(tx, [part.locationId]);
      if (taken !== undefined) await cutIntoParts(tx, part);
    });
  } catch (error) {
    queue.putBack(part.locationId);
    log.warn({ err: error, locationId: part.locationId }, 'a big transaction could not be cut');
  }
}

/** Whether another transaction holds a row, or two met. */
function isHeld(error: unknown): boolean {
  return isState(error, 'lockTimeout', 'collided');
}

function changesIn(batches: readonly Batch[]): number {
  return batches.reduce((sum, { changes, toCut }) => sum + changes.length + (toCut === undefined ? 0 : 1), 0);
}

function transactionsIn(batches: readonly Batch[]): number {
  return batches.reduce((sum, { changes }) => sum + new Set(changes.map(({ seed }) => seed)).size, 0);
}
