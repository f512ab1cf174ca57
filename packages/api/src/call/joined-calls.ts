import { inSlot, inSlotOrWaiting } from '../capacity/slots.ts';
import type { CallContext, JoinedCall } from './context.ts';
import { whileThere } from './left.ts';

// A joined call is an ordinary call whose type hides the database: these functions take a slot and show it.

/** Does the rest of a joined call in a slot of its own. Throws 503 when there is none. */
export function withSlot<Result>(
  ctx: JoinedCall,
  work: (ctx: CallContext) => Promise<Result>,
): Promise<Result> {
  const call = ctx as CallContext;
  return inSlot(ctx.app.capacity.slots, ctx.slot, () =>
    work(ctx.slot.kind === 'query' ? whileThere(call) : call),
  );
}

/**
 * Performs one transaction of a joined call in a slot. If it meets a row that another transaction holds, it starts again among the
 * calls that wait for rows, which frees its slot for others. Throws the lock's timeout after `holdUps.rowMs`.
 */
export const writeInSlot = <Result>(
  ctx: JoinedCall,
  work: (ctx: CallContext) => Promise<Result>,
): Promise<Result> =>
  inSlotOrWaiting(ctx.app.capacity.slots, ctx.slot, (lockWaitMs) =>
    work({ ...(ctx as CallContext), lockWaitMs }),
  );
