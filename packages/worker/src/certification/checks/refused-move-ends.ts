import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { placeOrder } from '../events.ts';
import { isMove } from '../orders.ts';
import type { Run } from '../run.ts';
import type { Call } from '../statements.ts';
import * as sql from '../statements.ts';
import { toSendSeconds } from './statuses-sent.ts';

/** The move is held so long; in this time the order is canceled. */
const heldSeconds = 8;
/** For so long the refused move is looked for. */
const listenSeconds = 20;
const tries = 3;
/** A program may send it once more, as when two of its parts do. */
const mostRepeats = 1;

/** The guest cancels while the status is on its way; the refused move is not repeated for ever. */
export const refusedMoveEnds: Check = {
  title: 'A move that is refused is not repeated for ever',
  needs: ['takes_orders'],
  leansOn: ['endpoint_reached', 'statuses_sent'],
  read: '/docs/guides/orders',
  async play(run) {
    const { orderId, refused } = await refuseMove(run);
    await run.saw(refused);
    const calls = await run.listen(
      listenSeconds,
      'Your program accepts that the order is canceled.',
      refused.number,
    );
    const repeats = calls.filter((call) => isMove(call) && names(call, orderId));
    for (const repeat of repeats.slice(0, mostRepeats + 1)) await run.saw(repeat);
    if (repeats.length > mostRepeats)
      throw new Unmet(
        `The order was canceled and its move refused with ${refused.status}; ${repeats.length} more moves of it came within ${listenSeconds} s.`,
      );
  },
};

async function refuseMove(run: Run): Promise<{ orderId: string; refused: Call }> {
  for (let n = 0; n < tries; n += 1) {
    const since = await run.newest();
    await run.playFaults([`slow; seconds=${heldSeconds}`], ['orders.updateStatus', 'orders.cancel']);
    const { about: orderId } = await placeOrder(run);
    const held = await run.waitFor({
      action: 'send_statuses',
      text: 'An order was placed: send a status of it. The guest cancels it meanwhile.',
      seconds: toSendSeconds,
      since,
      look: (calls) => calls.find((call) => isMove(call) && names(call, orderId)),
    });
    if (held === undefined) throw new Unmet(`No status of the order came within ${toSendSeconds} s.`);
    await run.tools.database.run(sql.cancelOrder, [run.locationId, orderId]);
    const refused = await run.waitFor({
      action: 'none',
      text: 'The move is refused.',
      seconds: heldSeconds + 30,
      since,
      look: (calls) => calls.find((call) => call.number === held.number && call.status !== null),
    });
    if (refused?.status === 409) {
      run.did(`canceled order ${orderId} while its move was under way, as a guest would: order.cancelled`);
      return { orderId, refused };
    }
  }
  throw new Error('no move was met on its way');
}

/** Whether it is about the order; a call of the typed client does not say. */
const names = ({ request }: Call, orderId: string) =>
  request.includes(orderId) || request.startsWith('mutation ');
