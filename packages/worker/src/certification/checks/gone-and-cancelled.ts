import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { askForOrder, mustBePlaced } from '../orders.ts';
import * as sql from '../statements.ts';

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
  async play(run) {
    await run.playFaults(['stock_gone'], ['orders.create']);
    const refused = await askForOrder(run, 'what it orders will be gone.', ({ fault }) => fault !== null);
    run.did('refused an order as if nothing of it were left: out_of_stock');
    const next = await run.waitFor({
      action: 'none',
      text: 'Your program reads the remaining stock, to inform the guest.',
      seconds: toActSeconds,
      since: refused.number,
      look: (calls) =>
        calls.find(
          ({ operation, status }) =>
            operation === 'orders.create' ||
            (showsWhatIsLeft.test(operation) && status !== null && status < 400),
        ),
    });
    if (next === undefined)
      throw new Unmet(
        `The order was refused with out_of_stock, and nothing looked what is left within ${toActSeconds} s.`,
      );
    await run.saw(next);
    if (next.operation === 'orders.create')
      throw new Unmet(
        'The order was refused with out_of_stock, and was sent again without a look at what is left.',
      );

    if (run.does.receives_webhooks) await run.endpoint('order.cancelled');
    const placed = await askForOrder(run, 'the restaurant will cancel it.', ({ fault }) => fault === null);
    mustBePlaced(placed);
    const { database } = run.tools;
    const [order] = await database.run(sql.findOrder, [run.locationId, placed.requestId]);
    const [cancelled] =
      order === undefined ? [] : await database.run(sql.cancelOrder, [run.locationId, order.id]);
    if (order === undefined || cancelled === undefined)
      throw new Unmet('The order had ended before the restaurant could cancel it.');
    run.did(`canceled order ${cancelled.number}, as the restaurant would: order.cancelled`);
    const { id } = order;
    const since = await run.newest();
    const read = await run.waitFor({
      action: 'none',
      text: 'Your program learns of it, and reads the order.',
      seconds: toActSeconds,
      since,
      look: (calls) =>
        calls.find(
          ({ operation, status, answered, request }) =>
            showsOrder.test(operation) && status === 200 && (answered.includes(id) || request.includes(id)),
        ),
    });
    if (read === undefined)
      throw new Unmet(`The order was canceled, and nothing read it within ${toActSeconds} s.`);
    await run.saw(read);
  },
};
