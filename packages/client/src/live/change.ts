/** A change that was asked for. */
export interface LiveChange {
  /** Its idempotency key: it is sent with the same one until it is answered. */
  key: string;
  /** The mutation: `orders.updateStatus`. */
  path: string;
  input: Readonly<Record<string, unknown>> & { id: string };
  /** When it was asked for, in Unix milliseconds. */
  at: number;
  /**
   * `sending`: it is sent, or waits for one of the same entry. `waiting`: there was no answer, and it is sent again. `made`: the service
   * made it, and the lists do not show it yet. `expired`: it was not answered within ten minutes and is sent no more. `refused`: of a
   * change from before the page was loaded.
   */
  status: 'sending' | 'waiting' | 'made' | 'expired' | 'refused';
  /** Why it waits, or was refused. */
  error?: unknown;
}
