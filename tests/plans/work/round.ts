/** One time through everything. */
export interface Round {
  /** Part of every name, so that no two rounds meet. */
  name: string;
  /** How many products a batch has. */
  size: number;
  /** Which paths are called where there are two. */
  families: readonly ('v1' | 'v2')[];
}

/** The key that keeps a repeated request from being done twice. */
export const keyOf = (what: string, round: string) => ({ 'idempotency-key': `${what} ${round}` });

/** The day, in UTC as the locations are. */
export const today = (): string => new Date().toISOString().slice(0, 10);
