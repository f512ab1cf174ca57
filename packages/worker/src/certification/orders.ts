import { Unmet } from './endings.ts';
import type { CausedEvent } from './events.ts';
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

/** Waits until an integration that takes orders has moved the one that the event is about; at most half a minute. */
export async function handled(run: Run, { type, about }: CausedEvent): Promise<void> {
  if (type !== 'order.created' || !run.does.takes_orders) return;
  await run.waitFor({
    ...{ action: 'send_statuses', text: 'An order was placed: send a status of it.', seconds: 30, since: 0 },
    look: (calls) => calls.find((call) => isMove(call) && call.answered.includes(about)),
  });
}

/** Whether a call moves an order. */
export const isMove = ({ operation }: Call): boolean => /^orders\.(updateStatus|cancel)$/.test(operation);
