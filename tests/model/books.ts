import { averageCents, json } from '../support/money.ts';
import { type PlacedOrder, paymentStatusOf, statusOf } from './orders.ts';

/** Amounts of the settlement of a turn: of its orders, and of every payment that was collected until now. */
export function expectedSettlement(orders: readonly PlacedOrder[], turn: string) {
  const own = orders.filter((order) => order.turn === turn);
  const collected = orders.filter((order) => paymentStatusOf(order) === 'completed');
  const methods = [...new Set(collected.map(({ draft }) => draft.method.type))].sort();
  const count = (...statuses: string[]) => own.filter((order) => statuses.includes(statusOf(order))).length;
  return {
    total_orders: own.length,
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

interface Part {
  key: string;
  name: string;
  milli: bigint;
  cents: bigint;
}

/** The sales report of these orders. Orders are cut into parts, the parts are gathered by key. */
export function expectedReport(orders: readonly PlacedOrder[], grouping: (typeof groupings)[number]) {
  const sold = orders.filter((order) => statusOf(order) !== 'canceled');
  const rows = new Map<string, Part & { orders: Set<PlacedOrder> }>();
  for (const order of sold)
    for (const part of partsOf(order, grouping)) {
      const row = rows.get(part.key) ?? { ...part, milli: 0n, cents: 0n, orders: new Set() };
      row.milli += part.milli;
      row.cents += part.cents;
      row.orders.add(order);
      rows.set(part.key, row);
    }
  const byAmount = (one: Part, other: Part) =>
    one.cents === other.cents ? (one.key < other.key ? -1 : 1) : one.cents < other.cents ? 1 : -1;
  return {
    group_by: grouping,
    total_orders: sold.length,
    total_amount: json(centsOf(sold)),
    average_ticket: json(averageCents(centsOf(sold), BigInt(sold.length))),
    rows: [...rows.values()].sort(byAmount).map(({ key, name, orders: within, milli, cents }) => {
      return { key, name, orders: within.size, quantity: json(milli, 3), amount: json(cents) };
    }),
  };
}

function partsOf(order: PlacedOrder, grouping: (typeof groupings)[number]): Part[] {
  const { draft, lines, cents } = order;
  const whole = { milli: lines.reduce((sum, { milli }) => sum + milli, 0n), cents };
  // The timestamp is in the time zone of the location, so its date is the local day.
  const day = order.created_at.slice(0, 10);
  if (grouping === 'day') return [{ key: day, name: day, ...whole }];
  if (grouping === 'channel') return [{ key: draft.channel ?? '', name: draft.channel ?? '', ...whole }];
  if (grouping === 'payment_method') {
    const { id: key, name } = paymentStatusOf(order) === 'rejected' ? { id: '', name: '' } : draft.method;
    return [{ key, name, ...whole }];
  }
  // Under the name that each has now.
  return lines.map(({ product, category, milli, cents }) => {
    const { id = '', name = '' } = (grouping === 'product' ? product : category) ?? {};
    return { key: id, name, milli, cents };
  });
}

const centsOf = (orders: readonly PlacedOrder[]): bigint =>
  orders.reduce((sum, { cents }) => sum + cents, 0n);
