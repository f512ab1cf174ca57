import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { cause, findEndpoint } from '../events.ts';
import { moveOf, toSendSeconds } from '../orders.ts';
import type { Call } from '../statements.ts';
import { take } from '../steps.ts';

const orders = 3;

/** Guests place orders, and each gets a status. */
export const statusesSent: Check = {
  title: 'A status comes back for each order',
  needs: ['takes_orders'],
  leansOn: ['endpoint_reached'],
  read: '/docs/guides/orders',
  *play(run) {
    if (run.does.receives_webhooks) yield* findEndpoint('order.created');
    const { events, newest } = yield* cause(run, Array<'order.created'>(orders).fill('order.created'));
    const movesIn = (calls: readonly Call[]) => events.flatMap(({ about }) => moveOf(calls, about) ?? []);
    const { calls } = yield* take({
      name: 'wait',
      action: 'send_statuses',
      text: `${orders} orders were placed: send a status of each (PATCH /v2/orders/{id}/status).`,
      seconds: toSendSeconds,
      since: newest,
      isOver: (seen) => movesIn(seen.calls).length === orders,
    });
    const moves = movesIn(calls);
    for (const move of moves) run.saw(move);
    if (moves.length < orders)
      throw new Unmet(`${moves.length} of ${orders} orders got a status within ${toSendSeconds} s.`);
  },
};
