import { isGood } from '../calls.ts';
import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { findEndpoint } from '../events.ts';
import { askForOrder, mustBePlaced } from '../orders.ts';
import { take, waitFor } from '../steps.ts';

const toActSeconds = 30;

/** The calls that show the record of a deleted product. */
const showsWhatIsLeft =
  /^(stock\.(list|get)|products\.(list|get|getByExternalId)|catalog\.get|menus\.active|orders\.quote)$/;
const showsOrder = /^orders\.(get|getByExternalId|list|timeline)$/;

/** An order is refused since an item is gone, another is canceled; each leads to the documented next step. */
export const goneAndCancelled: Check = {
  title: 'An item that is gone and an order that is canceled lead to the documented next step',
  needs: ['places_orders'],
  leansOn: ['endpoint_reached'],
  read: '/docs/guides/orders',
  *play(run) {
    yield* take({ name: 'play_faults', faults: ['stock_gone'], operations: ['orders.create'] });
    const refused = yield* askForOrder(run, 'what it orders will be gone.', ({ fault }) => fault !== null);
    run.did('refused an order as if nothing of it were left: out_of_stock');
    const next = yield* waitFor({
      action: 'none',
      text: 'Your program reads the remaining stock, to inform the guest.',
      seconds: toActSeconds,
      since: refused.number,
      look: ({ calls }) =>
        calls.find(
          (call) =>
            call.operation === 'orders.create' || (showsWhatIsLeft.test(call.operation) && isGood(call)),
        ),
    });
    if (next === undefined)
      throw new Unmet(
        `The order was refused with out_of_stock, and nothing looked what is left within ${toActSeconds} s.`,
      );
    run.saw(next);
    if (next.operation === 'orders.create')
      throw new Unmet(
        'The order was refused with out_of_stock, and was sent again without a look at what is left.',
      );

    if (run.does.receives_webhooks) yield* findEndpoint('order.cancelled');
    const placed = yield* askForOrder(run, 'the restaurant will cancel it.', ({ fault }) => fault === null);
    mustBePlaced(placed);
    const { order } = yield* take({ name: 'cancel_order', placedBy: placed.requestId });
    if (order === undefined) throw new Unmet('The order had ended before the restaurant could cancel it.');
    run.did(`canceled order ${order.number}, as the restaurant would: order.cancelled`);
    const read = yield* waitFor({
      action: 'none',
      text: 'Your program learns of it, and reads the order.',
      seconds: toActSeconds,
      look: ({ calls }) =>
        calls.find(
          ({ operation, status, answered, request }) =>
            showsOrder.test(operation) &&
            status === 200 &&
            (answered.includes(order.id) || request.includes(order.id)),
        ),
    });
    if (read === undefined)
      throw new Unmet(`The order was canceled, and nothing read it within ${toActSeconds} s.`);
    run.saw(read);
  },
};
