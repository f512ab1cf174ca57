import { averageCents, json } from '../support/money.ts';
import { sumOf } from './adjustments.ts';
import { type PlacedOrder, statusOf } from './orders.ts';

/** The cash of a turn as it was counted. */
export interface Drawer {
  countedCents: bigint;
  startingCents: bigint;
}

/** What a settlement is made of: a payment, or a refund, which is below zero. */
interface Entry {
  order: PlacedOrder;
  kind: 'payment' | 'refund';
  paymentId: string;
  method: string;
  cents: bigint;
  reason?: string;
}

function entriesOf(orders: readonly PlacedOrder[], turn: string): Entry[] {
  return orders.flatMap((order) =>
    order.payments.flatMap((payment): Entry[] => {
      const common = { order, paymentId: payment.id, method: payment.method.type };
      const refunds = payment.refunds.filter((refund) => refund.turn === turn);
      return [
        ...(payment.turn === turn ? [{ ...common, kind: 'payment' as const, cents: payment.cents }] : []),
        ...refunds.map(({ cents, reason }) => ({
          ...common,
          kind: 'refund' as const,
          cents: -cents,
          reason,
        })),
      ];
    }),
  );
}

/** The settlement of a turn: of its orders, of the payments that it collected, and of what was given back; with its entries. */
export function expectedSettlement(orders: readonly PlacedOrder[], turn: string, drawer: Drawer) {
  const own = orders.filter((order) => order.turn === turn);
  const entries = entriesOf(orders, turn);
  const collected = entries.filter(({ kind }) => kind === 'payment');
  const refunds = entries.filter(({ kind }) => kind === 'refund');
  const methods = [...new Set(collected.map(({ method }) => method))].sort();
  const count = (...statuses: string[]) => own.filter((order) => statuses.includes(statusOf(order))).length;
  const tips = sumOf(
    collected.flatMap(({ order }) => order.adjustments.filter(isTip).map(({ adds }) => adds)),
  );
  const cash = centsOf(entries.filter(({ method }) => method === 'cash'));
  const { countedCents, startingCents } = drawer;
  return {
    total_orders: own.length,
    total_collected: json(centsOf(collected)),
    average_ticket: json(averageCents(centsOf(collected), BigInt(collected.length))),
    payments: methods.map((method) => {
      const by = collected.filter((entry) => entry.method === method);
      return { method, count: by.length, amount: json(centsOf(by)) };
    }),
    orders: { closed: count('closed'), canceled: count('canceled'), open: count('pending', 'ready') },
    tips: tips === 0n ? undefined : json(tips),
    counted: json(countedCents),
    difference: json(countedCents - startingCents - cash),
    refunds: refunds.length === 0 ? undefined : { count: refunds.length, amount: json(centsOf(refunds)) },
    corrections: undefined,
    entries: entries.map(({ order, kind, paymentId, method, cents, reason }) => ({
      kind,
      payment_id: paymentId,
      order_id: order.id,
      method,
      amount: json(cents),
      ...(reason !== undefined && { reason }),
    })),
  };
}

const isTip = ({ kind }: { kind: string }): boolean => kind === 'tip';

const centsOf = (entries: readonly { cents: bigint }[]): bigint => sumOf(entries.map(({ cents }) => cents));
