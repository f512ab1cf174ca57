import { isMove } from '../calls.ts';
import type { Check, Run, Script } from '../check.ts';
import { Unmet } from '../endings.ts';
import { cause } from '../events.ts';
import { toSendSeconds } from '../orders.ts';
import type { Call } from '../statements.ts';
import { listen, take, waitFor } from '../steps.ts';

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
  *play(run) {
    const { orderId, refused } = yield* refuseMove(run);
    run.saw(refused);
    const text = 'Your program accepts that the order is canceled.';
    const calls = yield* listen(listenSeconds, text, refused.number);
    const repeats = calls.filter((call) => isMove(call) && names(call, orderId));
    for (const repeat of repeats.slice(0, mostRepeats + 1)) run.saw(repeat);
    if (repeats.length > mostRepeats)
      throw new Unmet(
        `The order was canceled and its move refused with ${refused.status}; ${repeats.length} more moves of it came within ${listenSeconds} s.`,
      );
  },
};

function* refuseMove(run: Run): Script<{ orderId: string; refused: Call }> {
  for (let n = 0; n < tries; n += 1) {
    const { newest: since } = yield* take({
      name: 'play_faults',
      faults: [`slow; seconds=${heldSeconds}`],
      operations: ['orders.updateStatus', 'orders.cancel'],
    });
    const { about: orderId } = (yield* cause(run, ['order.created'])).first;
    const held = yield* waitFor({
      action: 'send_statuses',
      text: 'An order was placed: send a status of it. The guest cancels it meanwhile.',
      seconds: toSendSeconds,
      since,
      look: ({ calls }) => calls.find((call) => isMove(call) && names(call, orderId)),
    });
    if (held === undefined) throw new Unmet(`No status of the order came within ${toSendSeconds} s.`);
    yield* take({ name: 'cancel_order', orderId });
    const refused = yield* waitFor({
      action: 'none',
      text: 'The move is refused.',
      seconds: heldSeconds + 30,
      since,
      look: ({ calls }) => calls.find((call) => call.number === held.number && call.status !== null),
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
