import { beforeEach, describe, expect, it } from 'vitest';
import { SalesReport } from '../../packages/api/src/resources/sales-reports/schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';
import { underDeed } from '../support/by-hand.ts';
import { type RecordedOrder, recordOrder } from '../support/money.ts';
import { placeOrder } from '../support/orders.ts';
import { useNewPlace } from '../support/place.ts';

const api = useApi();
const site = useNewPlace(api, { location: { currency: 'BRL', timezone: 'America/Sao_Paulo' } });

let cash: string;
beforeEach(async () => {
  cash = await site.make.paymentMethod();
});

const report = async (query: string) =>
  dataOf(await site.rest(`GET /v2/sales-reports?${query}`), 200, SalesReport);
const by = (grouping: string) => report(`from=2026-01-01&to=2026-01-31&group_by=${grouping}`);
const product = (name: string, categoryIds: string[] = []) => site.make.product({ name, categoryIds });
const category = (name: string, priority: number) => site.make.category({ name, priority });
const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10);
const sell = (lines: RecordedOrder['lines'], more: Partial<RecordedOrder> = {}) =>
  recordOrder(
    api.app.database,
    { locationId: site.locationId },
    { at: new Date('2026-01-15T12:00:00Z'), methodId: cash, lines, ...more },
  );

describe('GET /v2/sales-reports', () => {
  it('answers 200 with zeros where nothing was sold', async () => {
    expect(await by('day')).toEqual({
      from: '2026-01-01',
      to: '2026-01-31',
      currency: 'BRL',
      group_by: 'day',
      total_orders: 0,
      total_amount: 0,
      average_ticket: 0,
      rows: [],
    });
  });

  it('groups by day unless said', async () => {
    const productId = await product('Cortado');
    await sell([{ productId, milli: 2500n, cents: 1001n }], { at: new Date('2026-01-10T02:59:59.999Z') });
    await sell([{ productId, milli: 1000n, cents: 1000n }], { at: new Date('2026-01-10T03:00:00.000Z') });
    await sell([{ productId, milli: 1000n, cents: 2n }], { at: new Date('2026-01-10T12:00:00.000Z') });
    const sales = await report('from=2026-01-01&to=2026-01-31');
    expect(sales).toMatchObject({
      group_by: 'day',
      total_orders: 3,
      total_amount: 20.03,
      average_ticket: 6.68,
      rows: [
        { key: '2026-01-10', name: '2026-01-10', orders: 2, quantity: 2, amount: 10.02 },
        { key: '2026-01-09', name: '2026-01-09', orders: 1, quantity: 2.5, amount: 10.01 },
      ],
    });
    const query = { from: '2026-01-01', to: '2026-01-31', group_by: 'day' } as const;
    expect(await site.client().salesReports.get.query(query)).toEqual(sales);
  });

  it('by rate of tax gives a cent that is left to the lesser key of equal remainders, whatever the sizes of the shares', async () => {
    const productId = await product('Cortado');
    // A third of a cent of each is left over: 10,000 × 1, 10,000 and 19,999 ÷ 30,000.
    const lines = [
      { cents: 1_00n, taxRate: 220_000n },
      { cents: 10_000_00n, taxRate: 105_000n },
      { cents: 19_999_00n, taxRate: 43_750n },
    ].map((line) => ({ ...line, productId, milli: 1_000n }));
    await sell(lines, { adjustments: [{ kind: 'discount', cents: -100_00n }] });
    expect((await by('tax_rate')).rows.map(({ key, amount }) => [key, amount])).toEqual([
      ['4.375', 19_932.34],
      ['10.5', 9_966.66],
      ['22', 1],
    ]);
  });

  it('by hour takes the clock on the wall of the location, on any day', async () => {
    const productId = await product('Cortado');
    const line = [{ productId, milli: 1000n, cents: 500n }];
    await sell(line, { at: new Date('2026-01-10T02:59:59.999Z') });
    await sell(line, { at: new Date('2026-01-11T02:10:00.000Z') });
    await sell(line, { at: new Date('2026-01-10T03:00:00.000Z') });
    expect((await by('hour')).rows).toEqual([
      { key: '23', name: '23', orders: 2, quantity: 2, amount: 10 },
      { key: '00', name: '00', orders: 1, quantity: 1, amount: 5 },
    ]);
  });

  it('leaves out canceled orders; open and unpaid ones count', async () => {
    const productId = await product('Cortado');
    const line = [{ productId, milli: 1000n, cents: 500n }];
    await sell(line, { status: 'canceled', paid: 'completed' });
    await sell(line, { status: 'pending', paid: 'pending' });
    await sell(line, { status: 'ready', paid: 'rejected' });
    for (const grouping of ['day', 'hour', 'product', 'category', 'channel']) {
      const sales = await by(grouping);
      expect(sales).toMatchObject({ total_orders: 2, total_amount: 10, rows: [{ orders: 2, amount: 10 }] });
    }
    // A method that was rejected sold nothing.
    const half = { orders: 1, quantity: 1, amount: 5 };
    const rows = [
      { key: '', name: '', ...half },
      { key: cash, name: 'Cash', ...half },
    ];
    expect(await by('payment_method')).toMatchObject({ total_orders: 2, total_amount: 10, rows });
  });

  it('by product takes the totals of the lines and counts an order once in a row', async () => {
    const [cortado, tea] = [await product('Cortado'), await product('Tea')];
    await sell([
      { productId: cortado, milli: 1000n, cents: 400n },
      { productId: cortado, milli: 2000n, cents: 800n },
      { productId: tea, milli: 250n, cents: 99n },
    ]);
    expect(await by('product')).toMatchObject({
      total_orders: 1,
      total_amount: 12.99,
      rows: [
        { key: cortado, name: 'Cortado', orders: 1, quantity: 3, amount: 12 },
        { key: tea, name: 'Tea', orders: 1, quantity: 0.25, amount: 0.99 },
      ],
    });
  });

  it('by product calls a product what it is called now, a deleted one what it was last sold as', async () => {
    const [kept, gone] = [await product('Now'), await product('Gone')];
    const sold = (at: string, name: string) => {
      const lines = [
        { productId: gone, milli: 1000n, cents: 200n, name: `${name} gone` },
        { productId: kept, milli: 1000n, cents: 100n, name: `${name} kept` },
      ];
      return sell(lines, { at: new Date(at) });
    };
    await sold('2026-01-20T12:00:00Z', 'last');
    await sold('2026-01-10T12:00:00Z', 'worth');
    await site.rest(`DELETE /v2/products/${gone}`);
    expect((await by('product')).rows).toMatchObject([
      { key: gone, name: 'last gone', amount: 4 },
      { key: kept, name: 'Now', amount: 2 },
    ]);
  });

  it('by category counts a product in its first by priority, name, id; none has the key ""', async () => {
    const [late, early] = [await category('A', 2), await category('B', 1)];
    const [zoo, bar] = [await category('Zoo', 5), await category('Bar', 5)];
    const twins = [await category('Same', 7), await category('Same', 7)].sort();
    const line = async (cents: bigint, categoryIds: string[]) => ({
      productId: await product('P', categoryIds),
      milli: 1000n,
      cents,
    });
    const homeless = await line(100n, []);
    const deleted = await line(10n, [early]);
    await sell([await line(500n, [late, early]), await line(400n, [zoo, bar])]);
    await sell([await line(300n, [...twins].reverse()), homeless, deleted]);
    await site.rest(`DELETE /v2/products/${deleted.productId}`);
    expect((await by('category')).rows).toEqual([
      { key: early, name: 'B', orders: 1, quantity: 1, amount: 5 },
      { key: bar, name: 'Bar', orders: 1, quantity: 1, amount: 4 },
      { key: twins[0], name: 'Same', orders: 1, quantity: 1, amount: 3 },
      { key: '', name: '', orders: 1, quantity: 2, amount: 1.1 },
    ]);
  });

  it('by category keeps the category of the sale, with its last name, when the product moves or either is deleted', async () => {
    const [sold, other] = [await category('Sold as', 1), await category('Other', 2)];
    const [moved, gone, free] = [
      await product('Moved', [other, sold]),
      await product('Gone', [sold]),
      await product('Free'),
    ];
    for (const productId of [moved, gone, free])
      await placeOrder(
        site,
        { productId, paymentMethodId: cash },
        { items: [{ product_id: productId, quantity: 1 }] },
      );
    await site.rest(`PATCH /v2/products/${moved}`, { body: { category_ids: [other] } });
    await site.rest(`PATCH /v2/products/${free}`, { body: { category_ids: [other] } });
    await site.rest(`DELETE /v2/products/${gone}`);
    const rows = async () => {
      const { rows } = await report(`from=${day(-1)}&to=${day(1)}&group_by=category`);
      return rows.map(({ key, name, orders }) => ({ key, name, orders }));
    };
    const none = { key: '', name: '', orders: 1 };
    expect(await rows()).toEqual([{ key: sold, name: 'Sold as', orders: 2 }, none]);
    await site.rest(`PATCH /v2/categories/${sold}`, { body: { name: 'Renamed' } });
    expect(await rows()).toEqual([{ key: sold, name: 'Renamed', orders: 2 }, none]);
    await site.rest(`DELETE /v2/categories/${sold}`);
    expect(await rows()).toEqual([{ key: sold, name: 'Sold as', orders: 2 }, none]);
  });

  it('by payment method follows the payment, which may have been moved to another', async () => {
    const card = await site.make.paymentMethod({ name: 'Card', type: 'card' });
    const productId = await product('Cortado');
    const order = await sell([{ productId, milli: 1000n, cents: 700n }]);
    await sell([{ productId, milli: 1000n, cents: 300n }]);
    const moved = 'update payments set payment_method_id = $2 where order_id = $1';
    await underDeed(api.pool, 'repair: it was paid by card', moved, [order.id, card]);
    expect((await by('payment_method')).rows).toEqual([
      { key: card, name: 'Card', orders: 1, quantity: 1, amount: 7 },
      { key: cash, name: 'Cash', orders: 1, quantity: 1, amount: 3 },
    ]);
  });

  it('by channel orders by amount, then by key in code points; no channel has the key ""', async () => {
    const productId = await product('Cortado');
    const lines = [{ productId, milli: 1000n, cents: 100n }];
    for (const channel of ['web', 'Web', null, 'ä', '10', 'web']) await sell(lines, { channel });
    expect((await by('channel')).rows.map(({ key, amount }) => [key, amount])).toEqual([
      ['web', 2],
      ['', 1],
      ['10', 1],
      ['Web', 1],
      ['ä', 1],
    ]);
  });

  it('shows nothing of another location', async () => {
    const productId = await product('Cortado');
    await sell([{ productId, milli: 1000n, cents: 100n }]);
    const other = await api.rest('GET /v2/sales-reports?from=2026-01-01&to=2026-01-31');
    expect(dataOf(other, 200, SalesReport)).toMatchObject({ total_orders: 0, rows: [] });
  });

  it.each([
    ['', ['from:', 'to:']],
    ['from=2026-01-01', ['to:']],
    ['to=2026-01-01', ['from:']],
    ['from=2026-01-02&to=2026-01-01', ['from: must not be after to']],
    ['from=2026-02-30&to=2026-03-01', ['from:']],
    ['from=2026-01-01&to=2026-01-31&group_by=week', ['group_by:']],
    ['from=2026-01-01&from=2026-01-02&to=2026-01-31', ['from:']],
  ])('answers 422 for "%s"', async (query, named) => {
    const message = refusalOf(await site.rest(`GET /v2/sales-reports?${query}`), 422, 'validation_error');
    for (const field of named) expect(message).toContain(field);
  });
});
