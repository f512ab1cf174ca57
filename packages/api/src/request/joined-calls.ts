import { inPlace, inPlaceOrWaiting } from '../places/bulkhead.ts';
import type { CallContext, JoinedCall } from './context.ts';
import { whileThere } from './left.ts';

// A joined call has no database by its type alone: with a place it is an ordinary call.

/** Does the rest of a joined call in a place of its own. Throws 503 when there is none. */
export function withPlace<Result>(
  ctx: JoinedCall,
  work: (ctx: CallContext) => Promise<Result>,
): Promise<Result> {
  const call = ctx as CallContext;
  return inPlace(ctx.app.places.bulkhead, ctx.place, () =>
    work(ctx.place.kind === 'query' ? whileThere(call) : call),
  );
}

/**
 * Performs one transaction of a joined call in a place. If it meets a row that another transaction holds, it starts again among the
 * calls that wait for rows, which frees its place for others. Throws the lock's timeout after `holdUps.rowMs`.
 */
export const writeInPlace = <Result>(
  ctx: JoinedCall,
  work: (ctx: CallContext) => Promise<Result>,
): Promise<Result> =>
  inPlaceOrWaiting(ctx.app.places.bulkhead, ctx.place, (lockWaitMs) =>
    work({ ...(ctx as CallContext), lockWaitMs }),
  );
