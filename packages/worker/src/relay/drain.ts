import { type Database, isUnavailable } from '@comanda/db';
import type { Logger } from 'pino';
import {
  type Change,
  isLocated,
  readChanges,
  readSetAside,
  setAside,
  stillWait,
  takeRelayLock,
} from './changes.ts';
import { planEvents, type Unit } from './plan.ts';
import { publishUnits } from './publish.ts';

/** What one round of the relay did. */
export interface Drained {
  /** Changes it saw; none means that nothing waits. */
  changes: number;
  events: number;
}

/** Changes in a batch, as long as no single transaction made more. */
const batchSize = 2_000;

/**
 * Publishes what comes first, in one transaction. A change that cannot be published is found by halving,
 * and set aside so that the others pass. Returns nothing when another worker is at it.
 *
 * @throws what the database throws while it cannot be used; nothing is lost then.
 */
export function drainChanges(database: Database, log: Logger): Promise<Drained | undefined> {
  return drain(database, log, (tx) => readChanges(tx, batchSize));
}

/** Tries again what was set aside and is due, as `drainChanges` does. */
export function drainSetAside(database: Database, log: Logger): Promise<Drained | undefined> {
  return drain(database, log, (tx) => readSetAside(tx, 100));
}

async function drain(
  database: Database,
  log: Logger,
  read: (tx: Parameters<typeof readChanges>[0]) => Promise<Change[]>,
): Promise<Drained | undefined> {
  let units: Unit[] = [];
  try {
    return await database.transaction(undefined, async (tx) => {
      if (!(await takeRelayLock(tx))) return undefined;
      const changes = await read(tx);
      units = planEvents(changes);
      return { changes: changes.length, events: changes.length > 0 ? await publishUnits(tx, units) : 0 };
    });
  } catch (error) {
    if (isUnavailable(error) || units.length === 0) throw error;
    return { changes: units.length, events: await isolate(database, log, units, error) };
  }
}

/** Publishes the units in halves of halves; the one that still fails alone is set aside. Keeps the order. */
async function isolate(
  database: Database,
  log: Logger,
  units: readonly Unit[],
  cause: unknown,
): Promise<number> {
  const [unit] = units;
  if (unit === undefined) return 0;
  if (units.length === 1) {
    const { resource, resourceId, locationId, changeIds, events } = unit;
    // Removed since the changes were read: the next round finds nobody to tell.
    if (!(await isLocated(database, locationId))) return 0;
    const requestId = events[0]?.requestId ?? undefined;
    log.error(
      { err: cause, requestId, resource, resourceId, locationId },
      'a change cannot be published and is set aside',
    );
    await setAside(database, changeIds, cause instanceof Error ? cause.message : String(cause));
    return 0;
  }
  const middle = Math.ceil(units.length / 2);
  let events = 0;
  for (const half of [units.slice(0, middle), units.slice(middle)]) {
    try {
      events += await publishAlone(database, half);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      events += await isolate(database, log, half, error);
    }
  }
  return events;
}

/** Publishes units that were planned in an earlier transaction, unless another worker has done so meanwhile. */
function publishAlone(database: Database, units: readonly Unit[]): Promise<number> {
  return database.transaction(undefined, async (tx) => {
    if (!(await takeRelayLock(tx))) return 0;
    if (
      !(await stillWait(
        tx,
        units.flatMap(({ changeIds }) => changeIds),
      ))
    )
      return 0;
    return publishUnits(tx, units);
  });
}
