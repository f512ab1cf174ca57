import { beforeAll, describe, expect, it } from 'vitest';
import {
  type SalesReport as Report,
  SalesGrouping,
  SalesReport,
} from '../../packages/api/src/resources/sales-reports/schema.ts';
import { dataOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import {
  averageCents,
  json,
  type RecordedAdjustment,
  type RecordedOrder,
  recordOrder,
  totalOf,
} from '../support/money.ts';

const api = useApi();

async function openLocation(timezone: string) {
  const { make, locationId, rest } = await api.place({ location: { timezone } });
  const methodId = await make.paymentMethod();
  const productId = await make.product();
  const sell = (at: Date, cents: bigint) => {
    const lines = [{ productId, milli: 1000n, cents }];
    return recordOrder(api.app.database, { locationId }, { at, methodId, lines });
  };
  const report = async (query: string): Promise<Report> =>
    dataOf(await rest(`GET /v2/sales-reports?${query}`), 200, SalesReport);
  return { make, locationId, methodId, rest, sell, report };
}

/** Days of 23, 24 and 25 hours: where they begin, and where the next one does. */
const days = [
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
  ['Europe/Madrid', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['Europe/Madrid', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  // Midnight is skipped, and passed twice.
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
  ['America/Santiago', '2026-04-04', '2026-04-04T03:00:00.000Z', '2026-04-05T04:00:00.000Z'],
  ['Asia/Kolkata', '2026-03-08', '2026-03-07T18:30:00.000Z', '2026-03-08T18:30:00.000Z'],
] as const;

describe('a day of the report', () => {
  it.each(days)('in %s, %s is from %s until %s', async (timezone, day, first, next) => {
    const { report, rest, sell } = await openLocation(timezone);
    const moments = [
      [-1, 1n],
      [0, 10n],
      [1, 100n],
      [(Date.parse(next) - Date.parse(first)) / 2, 1_000n],
      [Date.parse(next) - Date.parse(first) - 1, 10_000n],
      [Date.parse(next) - Date.parse(first), 100_000n],
    ] as const;
    for (const [after, cents] of moments) await sell(new Date(Date.parse(first) + after), cents);
    const [before = '', after = ''] = [-86_400_000, 86_400_000].map((ms) =>
      new Date(Date.parse(day) + ms).toISOString().slice(0, 10),
    );
    const whole = await report(`from=${before}&to=${after}&group_by=day`);
    expect(whole.rows.map(({ key, orders, amount }) => [key, orders, amount])).toEqual([
      [after, 1, 1000],
      [day, 4, 111.1],
      [before, 1, 0.01],
    ]);
    const alone = await report(`from=${day}&to=${day}&group_by=day`);
    expect(alone.rows).toEqual(whole.rows.filter(({ key }) => key === day));
    const { body } = await rest(`GET /v2/orders?from=${day}&to=${day}`);
    expect(body).toMatchObject({ pagination: { total: 4 } });
  });

  it('is the same for lists and reports, even where midnight comes, goes and comes again', async () => {
    // In 2010 the clocks went back there at one minute past midnight.
    const { report, rest, sell } = await openLocation('America/Goose_Bay');
    const start = Date.parse('2010-11-07T01:30:00Z');
    for (let minute = 0; minute < 180; minute += 15)
      await sell(new Date(start + minute * 60_000 + 30_000), 100n);
    const { rows } = await report('from=2010-11-05&to=2010-11-09&group_by=day');
    expect(rows.reduce((sum, { orders }) => sum + orders, 0)).toBe(12);
    for (const { key, orders } of rows) {
      const { body } = await rest(`GET /v2/orders?from=${key}&to=${key}`);
      expect(body).toMatchObject({ pagination: { total: orders } });
      expect((await report(`from=${key}&to=${key}&group_by=day`)).rows).toMatchObject([{ key, orders }]);
    }
  });
});

type Part = { key: string; tax?: bigint | undefined } & Record<'milli' | 'cents', bigint>;

/** The rates of tax of the products, in ten-thousandths of a percent. */
const taxRates = [220_000n, 105_000n, 43_750n, undefined];

/** The tax in an amount that holds it, in cents, rounded half away from zero. */
const taxIn = (cents: bigint, rate: bigint): bigint =>
  (2n * cents * rate + 1_000_000n + rate) / (2n * (1_000_000n + rate));

const netOf = ({ lines, adjustments = [] }: RecordedOrder) =>
  lines.map((line, index) => ({
    ...line,
    cents: adjustments.reduce((sum, each) => sum + (each.line === index + 1 ? each.cents : 0n), line.cents),
  }));

const partOf = ({ kind, cents }: RecordedAdjustment): Part => ({
  key: `adjustment:${kind}`,
  milli: 0n,
  cents,
});

/** Adjustments of whole orders. */
const wide = ({ adjustments = [] }: RecordedOrder) => adjustments.filter(({ line }) => line === undefined);

const rated = (cents: bigint, rate: bigint | undefined) =>
  rate === undefined
    ? { key: '' }
    : { key: `${json(rate, 4)}`, tax: cents < 0n ? -taxIn(-cents, rate) : taxIn(cents, rate) };

/** A discount of a whole order without a rate, by the rates of its lines: the largest remainders get the cents that are left. */
function spread(order: RecordedOrder): Part[] {
  const discount = wide(order)
    .filter(({ kind, taxRate }) => kind === 'discount' && taxRate === undefined)
    .reduce((sum, { cents }) => sum - cents, 0n);
  const nets = new Map<bigint | undefined, bigint>();
  for (const { taxRate, cents } of netOf(order)) nets.set(taxRate, (nets.get(taxRate) ?? 0n) + cents);
  const whole = [...nets.values()].reduce((sum, cents) => sum + cents, 0n);
  if (discount === 0n || whole === 0n) return [];
  const shares = [...nets].map(([rate, cents]) => ({
    rate,
    cents: (discount * cents) / whole,
    rest: (discount * cents) % whole,
    key: rate === undefined ? '' : `${json(rate, 4)}`,
  }));
  shares.sort((a, b) => Number(b.rest - a.rest) || (a.key < b.key ? -1 : 1));
  let left = discount - shares.reduce((sum, { cents }) => sum + cents, 0n);
  return shares.map(({ rate, cents }) => {
    const share = cents + (left > 0n ? 1n : 0n);
    left -= 1n;
    return { milli: 0n, cents: -share, ...rated(-share, rate) };
  });
}

/** The report as this test adds it up, in whole numbers. */
function tally(orders: RecordedOrder[], partsOf: (order: RecordedOrder) => Part[]) {
  const sums = new Map<string, { orders: number; milli: bigint; cents: bigint; tax?: bigint }>();
  for (const order of orders) {
    const keys = new Set<string>();
    for (const { key, milli, cents, tax } of partsOf(order)) {
      const sum = sums.get(key) ?? { orders: 0, milli: 0n, cents: 0n };
      const first = keys.has(key) ? 0 : 1;
      sums.set(key, {
        orders: sum.orders + first,
        milli: sum.milli + milli,
        cents: sum.cents + cents,
        ...(tax !== undefined && { tax: (sum.tax ?? 0n) + tax }),
      });
      keys.add(key);
    }
  }
  const total = orders.reduce((sum, order) => sum + totalOf(order), 0n);
  return {
    total_orders: orders.length,
    total_amount: json(total),
    average_ticket: json(averageCents(total, BigInt(orders.length))),
    rows: [...sums]
      .sort(([a, one], [b, other]) => Number(other.cents - one.cents) || (a < b ? -1 : 1))
      .map(([key, sum]) => ({
        key,
        orders: sum.orders,
        quantity: json(sum.milli, 3),
        amount: json(sum.cents),
        ...(sum.tax !== undefined && { tax: json(sum.tax) }),
      })),
  };
}

/** Of every other order: of a line, of the whole with a rate and without, and of each kind that adds. */
function adjustmentsOf(index: number, lines: readonly { cents: bigint }[]): RecordedAdjustment[] {
  if (index % 2 === 0) return [];
  const [first = { cents: 0n }] = lines;
  const whole = lines.reduce((sum, { cents }) => sum + cents, 0n);
  return [
    { kind: 'discount', line: 1, cents: -first.cents / 3n },
    { kind: 'discount', cents: -whole / 7n },
    ...(index % 3 === 0 ? [{ kind: 'discount' as const, cents: -whole / 11n, taxRate: 220_000n }] : []),
    { kind: 'service_charge', cents: whole / 20n, taxRate: 105_000n },
    { kind: 'tip', cents: BigInt(index) },
    ...(index % 5 === 0 ? [{ kind: 'delivery_fee' as const, cents: 250n }] : []),
  ];
}

const taxOf = (index: number) => {
  const taxRate = taxRates[index % taxRates.length];
  return taxRate === undefined ? {} : { taxRate };
};

describe('a month of sales', () => {
  let recorded: RecordedOrder[];
  let report: (query: string) => Promise<Report>;
  const categoryOf = new Map<string, string>();
  beforeAll(async () => {
    const { make, locationId, methodId, ...opened } = await openLocation('America/New_York');
    report = opened.report;
    const methods = [methodId, await make.paymentMethod({ name: 'QR', type: 'qr' })];
    const categories = [
      await make.category({ name: 'Coffee', priority: 1 }),
      await make.category({ name: 'Tea', priority: 2 }),
    ];
    const products: string[] = [];
    for (const homes of [[0], [1], [1, 0], []]) {
      const categoryIds = homes.map((index) => categories[index] ?? '');
      const id = await make.product({ categoryIds });
      products.push(id);
      categoryOf.set(id, categories.find((category) => categoryIds.includes(category)) ?? '');
    }
    recorded = [];
    for (let index = 0; index < 120; index++) {
      // From the middle of 28 February to 2 April, in steps that drift through the hours of the day.
      const at = new Date(Date.parse('2026-02-28T17:00:00Z') + index * 23_456_789);
      const lines = Array.from({ length: 1 + (index % 3) }, (_, line) => ({
        productId: products[(index + line * 3) % products.length] ?? '',
        milli: BigInt(125 + ((index * 7919 + line * 104_729) % 9000)),
        cents: BigInt((index * 6_700_417 + line * 31_337) % 1_000_003),
        ...taxOf(index + line * 3),
      }));
      const order = {
        at,
        lines,
        methodId: methods[index % 2] ?? methodId,
        adjustments: adjustmentsOf(index, lines),
        channel: [null, 'web', 'kiosk'][index % 3] ?? null,
        status: index % 8 === 0 ? ('canceled' as const) : ('closed' as const),
        paid: index % 7 === 0 ? ('rejected' as const) : ('completed' as const),
      };
      recorded.push(await recordOrder(api.app.database, { locationId }, order));
    }
  });

  const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York', dateStyle: 'short' });
  const hour = new Intl.DateTimeFormat('en', {
    timeZone: 'America/New_York',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  const dayOf = ({ at }: RecordedOrder) => day.format(at);
  const whole = (key: string, order: RecordedOrder): Part[] => [
    { key, milli: order.lines.reduce((sum, { milli }) => sum + milli, 0n), cents: totalOf(order) },
  ];
  const parts: Record<SalesGrouping, (order: RecordedOrder) => Part[]> = {
    day: (order) => whole(dayOf(order), order),
    hour: (order) => whole(hour.format(order.at), order),
    channel: (order) => whole(order.channel ?? '', order),
    payment_method: (order) => whole(order.paid === 'rejected' ? '' : order.methodId, order),
    product: (order) => [
      ...netOf(order).map((line) => ({ ...line, key: line.productId })),
      ...wide(order).map(partOf),
    ],
    tax_rate: (order) => [
      ...netOf(order).map((line) => ({ ...line, ...rated(line.cents, line.taxRate) })),
      ...spread(order),
      ...wide(order)
        .filter(({ kind, taxRate }) => kind !== 'discount' || taxRate !== undefined)
        .map((each) => ({ ...rated(each.cents, each.taxRate), ...partOf(each) })),
    ],
    category: (order) => [
      ...netOf(order).map((line) => ({ ...line, key: categoryOf.get(line.productId) ?? '' })),
      ...wide(order).map(partOf),
    ],
    adjustment: (order) => [
      ...order.lines.map((line) => ({ ...line, key: '' })),
      ...(order.adjustments ?? []).map(partOf),
    ],
  };

  it.each(SalesGrouping.options)('by %s equals an independent tally to the cent', async (grouping) => {
    const counted = recorded.filter(
      (order) => order.status !== 'canceled' && dayOf(order) >= '2026-03-01' && dayOf(order) <= '2026-03-31',
    );
    expect(counted.length).toBeGreaterThan(80);
    expect(counted.length).toBeLessThan(recorded.filter(({ status }) => status !== 'canceled').length);
    const { rows, ...sales } = await report(`from=2026-03-01&to=2026-03-31&group_by=${grouping}`);
    const { rows: expected, ...totals } = tally(counted, parts[grouping]);
    expect(sales).toMatchObject(totals);
    expect(rows.map(({ name: _, ...row }) => row)).toEqual(expected);
    expect(Math.round(100 * rows.reduce((sum, { amount }) => sum + amount, 0))).toBe(
      Math.round(100 * sales.total_amount),
    );
  });
});
