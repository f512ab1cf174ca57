import { randomUUID } from 'node:crypto';
import type { ComandaClient } from '@comanda/client';
import type { Reason } from '../../packages/api/src/reasons.ts';
import type { TestApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import type { OrderKitchen } from '../support/orders.ts';
import type { Refusal } from './refusals.ts';

type MoneyReason = Extract<
  Reason,
  | 'turn_open'
  | 'no_turn'
  | 'not_collected'
  | 'refund_too_large'
  | 'entries_unknown'
  | 'payment_open'
  | 'payment_completed'
  | 'order_canceled'
  | 'order_not_pending'
  | 'precondition_required'
>;

/** The context of the calls. */
interface Means {
  api: TestApi;
  kitchen: OrderKitchen;
  typed(call: (client: ComandaClient) => Promise<unknown>): Promise<Refusal>;
  rest(route: string): Promise<Refusal>;
}

/** A call for each reason that has to do with turns, payments and settlements. */
export function moneyReasons(means: () => Means): Record<MoneyReason, () => Promise<Refusal>> {
  const refundOf = (id: string, amount: number) =>
    means().typed(({ payments }) =>
      payments.refund.mutate({ id, amount, reason: 'Cold', person: 'Ana', idempotencyKey: randomUUID() }),
    );
  const paymentOf = ({ id }: { id: string }) =>
    means().typed(({ orders }) =>
      orders.addPayment.mutate({
        id,
        payment_method_id: means().kitchen.paymentMethodId,
        idempotencyKey: randomUUID(),
      }),
    );
  const editOf = ({ id }: { id: string }) =>
    means().typed(({ orders }) => orders.edit.mutate({ id, note: 'x', items: { remove: [1] } }));
  return {
    precondition_required: async () => editOf(await means().kitchen.place()),
    async order_not_pending() {
      const { api, kitchen, typed } = means();
      const { id } = await kitchen.place();
      await api.client().orders.updateStatus.mutate({ id, status: 'ready' });
      return typed(({ orders }) => orders.edit.mutate({ id, note: 'x' }));
    },
    async turn_open() {
      const { api, typed } = means();
      await api.client().turns.open.mutate();
      const refusal = await typed(({ turns }) => turns.open.mutate());
      await api.client().turns.close.mutate();
      return refusal;
    },
    no_turn: () => means().typed(({ turns }) => turns.close.mutate()),
    async not_collected() {
      const { kitchen } = means();
      const { payment } = await kitchen.place();
      return refundOf(payment.id, 1);
    },
    async refund_too_large() {
      const { api, kitchen } = means();
      const { payment, total } = await kitchen.place();
      await api.client().payments.complete.mutate({ id: payment.id });
      return refundOf(payment.id, total + 1);
    },
    async payment_open() {
      return paymentOf(await means().kitchen.place());
    },
    async payment_completed() {
      const { api, kitchen } = means();
      const order = await kitchen.place();
      await api.client().payments.complete.mutate({ id: order.payment.id });
      return paymentOf(order);
    },
    async order_canceled() {
      const { api, kitchen } = means();
      const order = await kitchen.place();
      await api.client().orders.cancel.mutate({ id: order.id });
      return paymentOf(order);
    },
    async entries_unknown() {
      const { api, rest } = means();
      await api.client().turns.open.mutate();
      await api.client().turns.close.mutate();
      const [settlement] = (await api.client().settlements.list.query({ limit: 1 })).data;
      const change = 'update settlements set total_collected = 1 where id = $1';
      await underDeed(api.pool, 'repair: as one made before there were entries', change, [settlement?.id]);
      return rest(`GET /v2/settlements/${settlement?.id}/entries`);
    },
  };
}
