/** Attempts in flight to one endpoint, while few are in flight altogether. */
export const fullWidth = 20;
/** The part left to an endpoint when very many are served: enough for a fast one, never nothing. */
export const leastWidth = 2;

/** Up to here every endpoint has its full width; at twice as many, the least. */
const roomy = 500;

/** The attempts that this process has in flight, over all endpoints. */
export interface Load {
  inFlight: number;
}

/**
 * How many attempts one endpoint may have in flight while so many are altogether. Hanging endpoints fill the
 * process to a thousand sockets at most, and two for each endpoint beyond: a fast one always finds a slot.
 */
export function widthUnder({ inFlight }: Load): number {
  const crowding = Math.min(1, Math.max(0, inFlight / roomy - 1));
  return Math.round(fullWidth - crowding * (fullWidth - leastWidth));
}
