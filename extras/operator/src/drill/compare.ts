import { duration } from '@comanda/api/src/doctor/check.ts';
import { type Database, openDatabase, type Statement } from '@comanda/db';
import {
  countUnknown,
  type Newest,
  type Orders,
  readNewest,
  readOrders,
  readSameOrders,
  setPatience,
} from './statements.ts';

/** The contents of a copy: the orders of each location, and its newest events, the latest first. */
export interface Holding {
  orders: (Orders & { last: number })[];
  newest: Newest[];
}

/** Reads what a copy holds, before anything is published on it. */
export async function readHolding(copy: Database): Promise<Holding> {
  return { orders: await patiently(copy, readOrders, []), newest: await patiently(copy, readNewest, []) };
}

/**
 * Holds a copy against its original, which keeps events for so many days: what differs of what both must have, and how far the
 * copy is behind.
 */
export async function compare(
  url: string,
  held: Holding,
  keepEventsDays: number,
): Promise<{ differs: string[]; behind: string }> {
  const original = openDatabase({
    url,
    poolSize: 1,
    applicationName: 'comanda-drill',
    unnamed: true,
    abandonMs,
  });
  try {
    const same = await patiently(original, readSameOrders, [
      held.orders.map(({ locationId }) => locationId),
      held.orders.map(({ last }) => last),
    ]);
    const [row] = await patiently(original, countUnknown, [
      held.newest.map(({ locationId }) => locationId),
      held.newest.map(({ id }) => id),
      held.newest.map(({ number }) => number),
      held.newest.map(({ at }) => at),
      keepEventsDays,
    ]);
    const [latest] = await patiently(original, readNewest, []);
    const { unknown = 0, old = 0 } = row ?? {};
    const differs = held.orders.flatMap((copy) => differenceOf(copy, same));
    const ofAll = (some: number) =>
      `${some} of its ${held.newest.length} newest events ${some === 1 ? 'is' : 'are'}`;
    if (unknown > 0) differs.push(`${ofAll(unknown)} unknown there`);
    const aged = old === 0 ? '' : `; ${ofAll(old)} older than what the original keeps, and not looked up`;
    return { differs, behind: behindBy(held.newest[0]?.at, latest?.at) + aged };
  } finally {
    await original.close();
  }
}

/** Adding up millions of rows takes longer than a command may otherwise. */
export const abandonMs = 3_600_000;

function differenceOf(
  { locationId, last, orders, total }: Holding['orders'][number],
  all: Orders[],
): string[] {
  const there = all.find((each) => each.locationId === locationId);
  // Deleted since then.
  if (there === undefined || (there.orders === orders && there.total === total)) return [];
  const [has, should] = [`${orders} orders of ${total}`, `${there.orders} of ${there.total}`];
  return [`location ${locationId} has, up to order ${last}, ${has} in place of ${should}`];
}

const behindBy = (copy: Date | undefined, original: Date | undefined) =>
  copy === undefined || original === undefined
    ? `${copy === undefined ? 'it' : 'the original'} has no events`
    : `its newest event is ${duration((original.getTime() - copy.getTime()) / 1_000)} older`;

function patiently<Row>(on: Database, asked: Statement<Row>, values: unknown[]): Promise<Row[]> {
  return on.transaction(undefined, async (tx) => {
    await tx.run(setPatience, []);
    return tx.run(asked, values);
  });
}
