import { Unmet } from './check.ts';
import type { Run } from './run.ts';
import type { Call } from './statements.ts';

/** Seconds that a person has to place an order. */
const toOrder = 90;

/** Asks for an order, and gives the call that brings it, answered. @throws {Unmet} when none comes, or it is refused. */
export async function askForOrder(run: Run, why: string, isWanted: (call: Call) => boolean): Promise<Call> {
  const since = await run.newest();
  const call = await run.waitFor({
    action: 'place_order',
    text: `Place an order now, as for a guest: ${why}`,
    seconds: toOrder,
    since,
    look: (calls) =>
      calls.find((each) => each.operation === 'orders.create' && isWanted(each) && each.status !== null),
  });
  if (call === undefined) throw new Unmet(`No order came within ${toOrder} s.`);
  await run.saw(call);
  return call;
}

/** @throws {Unmet} when the order was refused without our doing. */
export function mustBePlaced({ status, requestId }: Call): void {
  if (status !== null && status >= 400)
    throw new Unmet(`The order was refused with ${status}: see the answer to request ${requestId}.`);
}
