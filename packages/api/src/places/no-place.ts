import { type ApiError, unavailable } from '../errors.ts';

/**
 * The one refusal of all load shedding, thrown before any work began: the same request may be sent again. 503 with
 * `Retry-After`, in the words used when the database is away; `location_busy` when the location itself has too much.
 */
export const noPlace = (reason: Parameters<typeof unavailable>[0] = 'temporarily_unavailable'): ApiError =>
  unavailable(reason, 'This part of the service is not available at the moment; try again shortly.');
