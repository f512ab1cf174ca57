import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { askForOrder, mustBePlaced } from '../orders.ts';
import { take, waitFor } from '../steps.ts';

const toRepeatSeconds = 60;

/** The answer to an order is lost; the same key comes again. */
export const orderRepeated: Check = {
  title: 'An order whose answer was lost is repeated with its key',
  needs: ['places_orders'],
  leansOn: [],
  read: '/docs/guides/orders',
  *play(run) {
    yield* take({ name: 'play_faults', faults: ['timeout_after_write'], operations: ['orders.create'] });
    const first = yield* askForOrder(run, 'its answer will be lost.', ({ fault }) => fault !== null);
    mustBePlaced(first);
    run.did('wrote the order, and cut the connection without an answer');
    const second = yield* waitFor({
      action: 'none',
      text: 'Your program sends the order again, with the same Idempotency-Key.',
      seconds: toRepeatSeconds,
      since: first.number,
      look: ({ calls }) => calls.find((call) => call.operation === 'orders.create' && call.status !== null),
    });
    if (second === undefined)
      throw new Unmet(`The answer was lost, and the order was not sent again within ${toRepeatSeconds} s.`);
    run.saw(second);
    if (second.idempotencyKey !== first.idempotencyKey)
      throw new Unmet('The order came again with another Idempotency-Key: the guest has two.');
    if (!second.replayed)
      throw new Unmet(`The same key came with another body, and was refused with ${second.status}.`);
  },
};
