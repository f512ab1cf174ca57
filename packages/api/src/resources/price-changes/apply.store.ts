import { addJobs, priceChangeKey, type Queryable } from '@comanda/db';
import { repeatingRaces } from '../../call/races.ts';
import { largestDecimal } from '../../wire.ts';
import * as sql from './statements.ts';

/**
 * Applies a planned price change that is due, in one transaction. Returns its outcome; nothing where it has ended, is not due, or its
 * location is not active.
 */
export async function applyPriceChange(
  on: Queryable,
  locationId: string,
  priceChangeId: string,
): Promise<sql.AppliedPriceChange | undefined> {
  const values = [locationId, priceChangeId, largestDecimal];
  const [applied] = await repeatingRaces(() => on.run(sql.applyPlanned, values));
  return applied;
}

/** Queues what is due and has no job: of a location that was not active, or came from another database. Returns how many. */
export async function queueForsakenPriceChanges(on: Queryable): Promise<number> {
  const found = await on.run(sql.forsakenPriceChanges, []);
  await addJobs(
    on,
    'apply-price-change',
    found.map((payload) => ({ payload, jobKey: priceChangeKey(payload.priceChangeId) })),
  );
  return found.length;
}
