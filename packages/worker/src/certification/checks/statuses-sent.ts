import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { placeOrder } from '../events.ts';
import { isMove } from '../orders.ts';
import type { Call } from '../statements.ts';

const orders = 3;
/** Seconds that an integration, or a person at it, has to send a status. */
export const toSendSeconds = 90;

/** The call that moved an order. */
export const moveOf = (calls: readonly Call[], orderId: string): Call | undefined =>
  calls.find((call) => isMove(call) && call.answered.includes(orderId));

/** Guests place orders, and each gets a status. */
export const statusesSent: Check = {
  title: 'A status comes back for each order',
  needs: ['takes_orders'],
  leansOn: ['endpoint_reached'],
  read: '/docs/guides/orders',
  async play(run) {
    if (run.does.receives_webhooks) await run.endpoint('order.created');
    const since = await run.newest();
    const placed: string[] = [];
    for (let n = 0; n < orders; n += 1) placed.push((await placeOrder(run)).about);
    let moves: Call[] = [];
    const isDone = await run.waitFor({
      action: 'send_statuses',
      text: `${orders} orders were placed: send a status of each (PATCH /v2/orders/{id}/status).`,
      seconds: toSendSeconds,
      since,
      look(calls) {
        moves = placed.flatMap((id) => moveOf(calls, id) ?? []);
        return moves.length === orders || undefined;
      },
    });
    for (const move of moves) await run.saw(move);
    if (!isDone)
      throw new Unmet(`${moves.length} of ${orders} orders got a status within ${toSendSeconds} s.`);
  },
};
