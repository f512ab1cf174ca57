import { averageCents, json } from '../../support/money.ts';
import { paymentStatusOf, statusOf, type TalliedOrder } from './tally.ts';

/** Amounts of the settlement of these orders, as they are now. */
export function expectedSettlement(orders: readonly TalliedOrder[], paid: readonly TalliedOrder[] = orders) {
  const collected = paid.filter((order) => paymentStatusOf(order) === 'completed');
  const methods = [...new Set(collected.map(({ draft }) => draft.method.type))].sort();
  const count = (...statuses: string[]) =>
    orders.filter((order) => statuses.includes(statusOf(order))).length;
  return {
    total_orders: orders.length,
    total_collected: json(centsOf(collected)),
    average_ticket: json(averageCents(centsOf(collected), BigInt(collected.length))),
    payments: methods.map((method) => {
      const by = collected.filter(({ draft }) => draft.method.type === method);
      return { method, count: by.length, amount: json(centsOf(by)) };
    }),
    orders: { closed: count('closed'), canceled: count('canceled'), open: count('pending', 'ready') },
  };
}

/** The groupings of a report. */
export const groupings = ['day', 'product', 'category', 'payment_method', 'channel'] as const;

type Grouping = (typeof groupings)[number];

interface Part {
  key: string;
  name: string;
  milli: bigint;
  cents: bigint;
}

/** The sales report of these orders. Orders are cut into parts, the parts are gathered by key. */
export function expectedReport(orders: readonly TalliedOrder[], grouping: Grouping) {
  const sold = orders.filter((order) => statusOf(order) !== 'canceled');
  const rows = new Map<string, Part & { orders: Set<TalliedOrder> }>();
  for (const order of sold) {
    for (const part of partsOf(order, grouping)) {
      const row = rows.get(part.key);
      if (row === undefined) rows.set(part.key, { ...part, orders: new Set([order]) });
      else {
        row.milli += part.milli;
        row.cents += part.cents;
        row.orders.add(order);
      }
    }
  }
  return {
    currency: 'CAD',
    group_by: grouping,
    total_orders: sold.length,
    total_amount: json(centsOf(sold)),
    average_ticket: json(averageCents(centsOf(sold), BigInt(sold.length))),
    rows: [...rows.values()]
      .sort((one, other) =>
        one.cents === other.cents ? (one.key < other.key ? -1 : 1) : one.cents < other.cents ? 1 : -1,
      )
      .map(({ key, name, orders: inRow, milli, cents }) => {
        return { key, name, orders: inRow.size, quantity: json(milli, 3), amount: json(cents) };
      }),
  };
}

function partsOf(order: TalliedOrder, grouping: Grouping): Part[] {
  const { draft, lines, cents } = order;
  const whole = { milli: lines.reduce((sum, { milli }) => sum + milli, 0n), cents };
  switch (grouping) {
    case 'day': {
      // Timestamps carry the offset of the location's zone.
      const day = order.created_at.slice(0, 10);
      return [{ key: day, name: day, ...whole }];
    }
    case 'channel':
      return [{ key: draft.channel ?? '', name: draft.channel ?? '', ...whole }];
    case 'payment_method':
      return [{ key: draft.method.id, name: draft.method.name, ...whole }];
    case 'product':
      return lines.map(({ product, milli, cents }) => ({
        key: product.id,
        name: product.name,
        milli,
        cents,
      }));
    case 'category':
      return lines.map(({ category, milli, cents }) => ({
        key: category?.id ?? '',
        name: category?.name ?? '',
        milli,
        cents,
      }));
  }
}

/** Their total. */
export const centsOf = (orders: readonly TalliedOrder[]): bigint =>
  orders.reduce((sum, { cents }) => sum + cents, 0n);

/** The events of orders and their payments, by type. */
export function expectedOrderEvents(orders: readonly TalliedOrder[]): Record<string, number> {
  const count = (holds: (order: TalliedOrder) => boolean) => orders.filter(holds).length;
  const moves = orders.reduce((sum, order) => sum + order.moves.length, 0);
  const completed = count((order) => paymentStatusOf(order) === 'completed');
  const rejected = count((order) => paymentStatusOf(order) === 'rejected');
  return {
    'order.created': orders.length,
    // A payment that moves by itself changes what its order shows.
    'order.updated': moves + orders.reduce((sum, { paid }) => sum + paid.length, 0),
    'order.status_changed': moves,
    'order.cancelled': count((order) => statusOf(order) === 'canceled'),
    'order.completed': count((order) => statusOf(order) === 'closed'),
    'payment.created': orders.length,
    'payment.updated': completed + rejected,
    'payment.completed': completed,
    'payment.rejected': rejected,
  };
}
