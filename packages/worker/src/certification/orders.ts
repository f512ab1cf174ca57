import { isMove } from './calls.ts';
import type { Run, Script } from './check.ts';
import { Unmet } from './endings.ts';
import type { Call } from './statements.ts';
import { waitFor } from './steps.ts';

/** Seconds that a person has to place an order. */
const toOrder = 90;
/** Seconds that an integration, or a person at it, has to send a status. */
export const toSendSeconds = 90;

/** Asks for an order, and returns the call that brings it, answered. Throws `Unmet` when none comes. */
export function* askForOrder(run: Run, why: string, isWanted: (call: Call) => boolean): Script<Call> {
  const call = yield* waitFor({
    action: 'place_order',
    text: `Place an order now, as for a guest: ${why}`,
    seconds: toOrder,
    look: ({ calls }) =>
      calls.find((each) => each.operation === 'orders.create' && isWanted(each) && each.status !== null),
  });
  if (call === undefined) throw new Unmet(`No order came within ${toOrder} s.`);
  run.saw(call);
  return call;
}

/** Throws `Unmet` when the order was refused without our doing. */
export function mustBePlaced({ status, requestId }: Call): void {
  if (status !== null && status >= 400)
    throw new Unmet(`The order was refused with ${status}: see the answer to request ${requestId}.`);
}

/** The call that moved an order. */
export const moveOf = (calls: readonly Call[], orderId: string): Call | undefined =>
  calls.find((call) => isMove(call) && call.answered.includes(orderId));
