import type { Queryable } from '@comanda/db';
import type { Holding, Lease } from './lease.ts';
import { returnTokens } from './statements.ts';

/** Requests that were counted in a window and will not be admitted by this process. */
export interface Unused {
  keyId: string;
  window: 'minute' | 'month';
  /** Unix seconds. */
  start: number;
  tokens: number;
}

/** Takes everything out of a lease. */
export function unused(lease: Lease): Unused[] {
  return takeOut(lease, () => 0);
}

/** Takes out of a lease what one of several processes must not keep from the others: all but 1 % of the limit. */
export function keepSmallBlocks(lease: Lease): Unused[] {
  return takeOut(lease, ({ limit }) => Math.ceil(limit / 100));
}

/** Makes it available to every process again. */
export async function giveBack(database: Queryable, all: readonly Unused[]): Promise<void> {
  if (all.length === 0) return;
  await database.run(returnTokens, [
    all.map(({ keyId }) => keyId),
    all.map(({ window }) => window),
    all.map(({ start }) => start),
    all.map(({ tokens }) => tokens),
  ]);
}

function takeOut(lease: Lease, keep: (holding: Holding) => number): Unused[] {
  return (['minute', 'month'] as const).flatMap((window) => {
    const holding = lease[window];
    const tokens = holding.tokens - Math.max(0, keep(holding));
    if (tokens <= 0) return [];
    holding.tokens -= tokens;
    return [{ keyId: lease.keyId, window, start: holding.start, tokens }];
  });
}
