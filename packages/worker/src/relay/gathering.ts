/** How long a relay rests after a round, so that the next one has more to share its cost. */
export interface Gathering {
  /** Notes a round that began at `at` and published so many transactions; answers when the next one may begin, by the same clock. */
  next(at: number, transactions: number): number;
}

/** After any round: what a request commits in pieces comes together. */
const leastMs = 20;
/** The contract has 300 ms for the publication. */
const mostMs = 100;
/** So many transactions share a round's cost well; a round that waits for more only comes later. */
const enough = 10;

/**
 * Changes that come faster than one in 100 ms are gathered for up to 100 ms, as long as it takes for about ten to come. One that
 * comes alone is published at once.
 */
export function createGathering(): Gathering {
  let before = Number.NEGATIVE_INFINITY;
  return {
    next(at, transactions) {
      const apartMs = (at - before) / Math.max(1, transactions);
      before = at;
      if (apartMs >= mostMs) return at + leastMs;
      return at + Math.min(mostMs, Math.max(leastMs, enough * apartMs));
    },
  };
}
