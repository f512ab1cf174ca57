import type { Receipt } from '../faults/support/consumer.ts';
import type { Kill } from './kill.ts';
import type { Trouble } from './traffic.ts';

/** Arrivals beyond the first of an event, by their reason. */
export interface Repeats {
  afterFailure: number;
  afterKill: number;
  unexplained: number;
}

/** The callers' failures, and how often a kill explains them. */
export interface TroubleRow {
  what: string;
  explained: number;
  unexplained: number;
}

/** A delivery in flight when a kill came had arrived within this time before it: the consumer answers sooner. */
const inHandMs = 5_000;

/** An event comes again because it was not taken, or because a kill left open whether it was. */
export function explainRepeats(
  receipts: Iterable<Pick<Receipt, 'arrivals'>>,
  kills: readonly Pick<Kill, 'at' | 'until'>[],
): Repeats {
  const counts = { afterFailure: 0, afterKill: 0, unexplained: 0 };
  for (const { arrivals } of receipts) {
    const inOrder = arrivals.toSorted((a, b) => a.at - b.at);
    for (const [index, { at, attempt }] of inOrder.entries()) {
      const before = inOrder[index - 1];
      if (before === undefined) continue;
      const failed = attempt > before.attempt && before.status !== 204;
      const cut = kills.some(
        (kill) => before.at > kill.at - inHandMs && before.at < kill.until && at > kill.at,
      );
      counts[failed ? 'afterFailure' : cut ? 'afterKill' : 'unexplained'] += 1;
    }
  }
  return counts;
}

/** A trouble of a caller is explained by a kill that lasted while the call did, and may have that consequence. */
export function explainTroubles(
  troubles: readonly Pick<Trouble, 'what' | 'askedAt' | 'heardAt'>[],
  kills: readonly Pick<Kill, 'at' | 'until' | 'consequences'>[],
): TroubleRow[] {
  const rows = new Map<string, TroubleRow>();
  for (const { what, askedAt, heardAt } of troubles) {
    const row = rows.get(what) ?? { what, explained: 0, unexplained: 0 };
    rows.set(what, row);
    const explained = kills.some(
      ({ at, until, consequences }) =>
        heardAt >= at && askedAt <= until && consequences.some((known) => what.startsWith(known)),
    );
    row[explained ? 'explained' : 'unexplained'] += 1;
  }
  return [...rows.values()];
}
