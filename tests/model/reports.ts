import { averageCents, json } from '../support/money.ts';
import { type AppliedAdjustment, spread, sumOf, taxIn } from './adjustments.ts';
import { type PlacedLine, type PlacedOrder, statusOf } from './orders.ts';
import { latestPayment, paymentStatusOf } from './payments.ts';

/** A part of an order that counts in a row of a report. */
interface Part {
  key: string;
  name: string;
  milli: bigint;
  cents: bigint;
  tax?: bigint;
}

/** The groupings of a report: how each cuts an order into parts. */
const cuts = {
  // The timestamp is in the time zone of the location, so it has the local day and hour.
  day: (order) => whole(order, order.created_at.slice(0, 10)),
  hour: (order) => whole(order, order.created_at.slice(11, 13)),
  channel: (order) => whole(order, order.draft.channel ?? ''),
  payment_method(order) {
    if (paymentStatusOf(order) === 'rejected') return whole(order, '');
    const { id, name } = latestPayment(order).method;
    return whole(order, id, name);
  },
  // Under the name that each has now.
  product: (order) => [
    ...netLines(order).map((line) => ({ ...line, key: line.product.id, name: line.product.name })),
    ...wide(order).map(partOf),
  ],
  category: (order) => [
    ...netLines(order).map((line) => ({
      ...line,
      key: line.category?.id ?? '',
      name: line.category?.name ?? '',
    })),
    ...wide(order).map(partOf),
  ],
  tax_rate: (order) => [
    ...netLines(order).map(({ taxRate, milli, cents }) => ({ ...rated(cents, taxRate), milli })),
    ...spreadDiscounts(order),
    ...wide(order)
      .filter((each) => !isSpread(each))
      .map((each) => ({ ...rated(each.adds, each.taxRate), ...partOf(each) })),
  ],
  adjustment: (order) => [
    { key: '', name: '', milli: milliOf(order), cents: sumOf(order.lines.map(({ cents }) => cents)) },
    ...order.adjustments.map(partOf),
  ],
} satisfies Record<string, (order: PlacedOrder) => Part[]>;

/** The groupings of a report. */
export const groupings = Object.keys(cuts) as (keyof typeof cuts)[];

/** The sales report of these orders. Orders are cut into parts, the parts are gathered by key. */
export function expectedReport(orders: readonly PlacedOrder[], grouping: keyof typeof cuts) {
  const sold = orders.filter((order) => statusOf(order) !== 'canceled');
  const rows = new Map<string, Part & { orders: Set<PlacedOrder> }>();
  for (const order of sold)
    for (const { tax, ...part } of cuts[grouping](order) as Part[]) {
      const row = rows.get(part.key) ?? { ...part, milli: 0n, cents: 0n, orders: new Set() };
      row.milli += part.milli;
      row.cents += part.cents;
      if (tax !== undefined) row.tax = (row.tax ?? 0n) + tax;
      row.orders.add(order);
      rows.set(part.key, row);
    }
  const total = sumOf(sold.map(({ cents }) => cents));
  const parts = sumOf([...rows.values()].map(({ cents }) => cents));
  if (parts !== total) throw new Error(`the model cuts ${total} cents into ${parts} by ${grouping}`);
  const byAmount = (one: Part, other: Part) =>
    one.cents === other.cents ? (one.key < other.key ? -1 : 1) : one.cents < other.cents ? 1 : -1;
  return {
    group_by: grouping,
    total_orders: sold.length,
    total_amount: json(total),
    average_ticket: json(averageCents(total, BigInt(sold.length))),
    rows: [...rows.values()].sort(byAmount).map(({ key, name, orders: within, milli, cents, tax }) => ({
      key,
      name,
      orders: within.size,
      quantity: json(milli, 3),
      amount: json(cents),
      ...(tax !== undefined && { tax: json(tax) }),
    })),
  };
}

const milliOf = ({ lines }: PlacedOrder): bigint => sumOf(lines.map(({ milli }) => milli));

const whole = (order: PlacedOrder, key: string, name = key): Part[] => [
  { key, name, milli: milliOf(order), cents: order.cents },
];

/** Lines less their own discounts. */
const netLines = ({ lines, adjustments }: PlacedOrder): PlacedLine[] =>
  lines.map((line) => {
    const own = adjustments.filter((each) => each.line !== undefined && each.line === line.id);
    return { ...line, cents: line.cents + sumOf(own.map(({ adds }) => adds)) };
  });

/** Adjustments of the whole order. */
const wide = ({ adjustments }: PlacedOrder): AppliedAdjustment[] =>
  adjustments.filter(({ line }) => line === undefined);

const partOf = ({ kind, adds }: AppliedAdjustment): Part => ({
  key: `adjustment:${kind}`,
  name: '',
  milli: 0n,
  cents: adds,
});

const keyOfRate = (rate: bigint | undefined): string => (rate === undefined ? '' : `${json(rate, 4)}`);

const rated = (cents: bigint, rate: bigint | undefined) => ({
  key: keyOfRate(rate),
  name: rate === undefined ? '' : `${keyOfRate(rate)} %`,
  cents,
  ...(rate !== undefined && { tax: taxIn(cents, rate) }),
});

const isSpread = ({ kind, line, taxRate }: AppliedAdjustment): boolean =>
  kind === 'discount' && line === undefined && taxRate === undefined;

/** The discounts of a whole order without a rate, together, over the rates of its lines: of equal remainders the lesser key comes first. */
function spreadDiscounts(order: PlacedOrder): Part[] {
  const discount = -sumOf(order.adjustments.filter(isSpread).map(({ adds }) => adds));
  if (discount === 0n) return [];
  const nets = new Map<bigint | undefined, bigint>();
  for (const { taxRate, cents } of netLines(order)) nets.set(taxRate, (nets.get(taxRate) ?? 0n) + cents);
  const parts = [...nets].map(([rate, cents]) => ({ rate, cents, key: keyOfRate(rate) }));
  parts.sort((one, other) => (one.key < other.key ? -1 : 1));
  const shares = spread(
    discount,
    parts.map(({ cents }) => cents),
  );
  return shares.map((share, index) => ({ ...rated(-share, parts[index]?.rate), milli: 0n }));
}
