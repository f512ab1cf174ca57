import type { Queryable } from '@comanda/db';
import type { ApiError } from '../../errors.ts';
import { grants } from '../../permissions.ts';
import type { OrderRequest } from './facts.rules.ts';
import { externalIdTaken, locationPaused } from './rules.ts';
import { readOrderObstacles } from './statements.ts';

/** The refusals of an order that do not depend on what it orders, in the order in which they are reported. */
export interface Obstacles {
  /** Another order has its `external_id`. */
  taken?: ApiError;
  /** The location takes no orders. */
  paused?: ApiError;
}

/** Whether an order is made although the location is paused. */
export const passesPause = (granted: ReadonlySet<string>, { while_paused }: OrderRequest): boolean =>
  while_paused === true && grants(granted, 'orders:pause');

/** Reads what stands against an order at this moment. */
export async function readObstacles(
  database: Queryable,
  { locationId, granted }: { locationId: string; granted: ReadonlySet<string> },
  request: OrderRequest,
): Promise<Obstacles> {
  const { external_id } = request;
  const [found] = await database.run(readOrderObstacles, [locationId, external_id]);
  if (found === undefined) return {};
  const { other, paused, until, seconds } = found;
  return {
    ...(other !== null && { taken: externalIdTaken(external_id, other) }),
    ...(paused && !passesPause(granted, request) && { paused: locationPaused(until, seconds) }),
  };
}
