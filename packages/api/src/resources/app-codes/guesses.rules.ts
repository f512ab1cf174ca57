/** Failed attempts to use a code, by the address of the connection. */
export interface Guesses {
  /** Seconds until the address may give another; 0: at once. `now` in milliseconds. */
  waitOf(address: string, now: number): number;
  note(address: string, now: number): void;
}

/**
 * So many in a minute are answered normally. The code itself is 192 random bits, so it cannot be guessed: this asks a
 * faulty program to wait. The database is spared because all codes are read together (`foundCodes`).
 */
export const mostGuesses = 10;

const windowMs = 60_000;
const mostAddresses = 10_000;

/** Counts wrong codes in this process; of more addresses than 10,000 the oldest is forgotten. */
export function guessesOf(): Guesses {
  const known = new Map<string, { since: number; count: number }>();
  const current = (address: string, now: number) => {
    const entry = known.get(address);
    return entry !== undefined && now - entry.since < windowMs ? entry : undefined;
  };
  return {
    waitOf(address, now) {
      const entry = current(address, now);
      if (entry === undefined || entry.count < mostGuesses) return 0;
      return Math.ceil((entry.since + windowMs - now) / 1_000);
    },
    note(address, now) {
      const entry = current(address, now) ?? { since: now, count: 0 };
      entry.count += 1;
      known.delete(address);
      known.set(address, entry);
      const oldest = known.keys().next();
      if (known.size > mostAddresses && !oldest.done) known.delete(oldest.value);
    },
  };
}
