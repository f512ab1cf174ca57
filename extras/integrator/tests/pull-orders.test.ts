import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { controlsIn } from '../../../tests/support/controls.ts';
import { useOrderKitchen } from '../../../tests/support/orders.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { words } from '../../../tests/support/words.ts';
import { readRecords } from '../src/csv/records.ts';
import { orderColumns } from '../src/pull/columns.ts';
import { useDownload } from './comanda-mjs.ts';

const api = usePublishingApi();
const tool = useDownload(api);
const kitchen = useOrderKitchen(api);
let gone: string;
beforeAll(async () => {
  await api.prisma.product.update({
    where: { locationId_id: { locationId: api.locationId, id: kitchen.productId } },
    data: { externalId: 'TEA', sku: 'T-1', price: 2.5, taxRate: 10.5 },
  });
  gone = await api.make.product({ externalId: 'GONE', name: '=1+1', price: 1 });
});

const pull = ['pull', 'orders', '--csv'];
type Row = Record<string, string>;

function rowsIn(text: string, separator = ','): Row[] {
  const [head, ...records] = [...readRecords(text, separator)].map(({ cells }) => cells);
  expect(head).toEqual(Object.keys(orderColumns));
  return records.map((cells) => Object.fromEntries(cells.map((cell, index) => [head?.[index] ?? '', cell])));
}

test('each line of each order is a row, with what names the product', async () => {
  const since = new Date().toISOString();
  const comment = 'no "sugar",\r\nplease\u001b[2J';
  const order = await kitchen.place({
    external_id: 'PO-1',
    identifier: '+Table; 4',
    channel: '@web',
    is_take_away: true,
    note: 'Ring\ntwice',
    guests: 2,
    promised_at: '2026-12-24T20:00:00Z',
    adjustments: [{ kind: 'tip', name: 'Tip', amount: 1 }],
    items: [
      { product_id: kitchen.productId, quantity: 1.5, comment },
      { product_id: gone, quantity: 2 },
    ],
  });
  await api.rest(`DELETE /v2/products/${gone}`);
  const { code, stdout, stderr } = await tool.run([...pull, '--since', since]);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "comanda: 1 order, 2 rows; 5 texts with a ' before what a spreadsheet takes for a formula\n",
  });
  expect(controlsIn(stdout.replaceAll('\r\n', '\n'))).toEqual([]);
  const [first, second] = rowsIn(stdout);
  expect(first).toEqual({
    order_id: order.id,
    number: String(order.number),
    status: 'pending',
    created_at: order.created_at,
    external_id: 'PO-1',
    channel: "'@web",
    is_take_away: 'true',
    identifier: "'+Table; 4",
    payment_id: order.payment.id,
    payment_status: 'pending',
    payment_method_id: kitchen.paymentMethodId,
    cancel_reason: '',
    order_total: '6.75',
    line: '1',
    product_id: kitchen.productId,
    product_external_id: 'TEA',
    product_sku: 'T-1',
    name: 'Flat White',
    quantity: '1.5',
    unit_price: '2.5',
    line_total: '3.75',
    comment: 'no "sugar",\nplease\\u001b[2J',
    choices: '',
    tax_rate: '10.5',
    note: 'Ring\ntwice',
    guests: '2',
    promised_at: '2026-12-24T20:00:00.000+00:00',
    adjustments: '1 Tip',
  });
  expect(second).toMatchObject({
    line: '2',
    product_id: gone,
    product_external_id: 'GONE',
    name: "'=1+1",
    quantity: '2',
    line_total: '2',
    comment: '',
  });

  const raw = await tool.run([
    ...pull,
    ...words(`--since ${since} --raw --separator semicolon --decimal comma`),
  ]);
  expect(rowsIn(raw.stdout, ';')[0]).toMatchObject({
    identifier: '+Table; 4',
    channel: '@web',
    quantity: '1,5',
  });
});

test('all pages are read into a file that is whole or as it was, and the state goes on where it ended', async () => {
  const { productId: product, paymentMethodId: method } = kitchen;
  const items = [{ product_id: product, quantity: 1 }];
  const numbers = Array.from({ length: 220 }, (_, index) => `M-${index}`);
  for (let at = 0; at < numbers.length; at += 44)
    await Promise.all(
      numbers
        .slice(at, at + 44)
        .map((external_id) => kitchen.place({ external_id, items, payment_method_id: method })),
    );
  const words = [...pull, '--since', '1h', '--out', 'orders.csv', '--state', 'pull.json', '--bom'];
  tool.save('orders.csv', 'of yesterday');
  const refused = await tool.run(words, { env: { COMANDA_KEY: `${api.key.key}x` } });
  expect(refused.code).toBe(1);
  expect(tool.load('orders.csv')).toBe('of yesterday');
  expect(existsSync(join(tool.folder, 'pull.json'))).toBe(false);

  const { code, stdout } = await tool.run(words);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  const text = tool.load('orders.csv');
  expect(text.startsWith('\ufefforder_id,')).toBe(true);
  const found = rowsIn(text.slice(1)).map(({ external_id }) => external_id);
  expect(found.filter((each) => each?.startsWith('M-')).sort()).toEqual(numbers.toSorted());

  const cancelled = await kitchen.place({ external_id: 'LAST', items });
  await api.rest(`POST /v2/orders/${cancelled.id}/cancel`, { body: { reason: 'late' } });
  await tool.run(words);
  const next = rowsIn(tool.load('orders.csv').slice(1));
  const last = next.filter(({ external_id }) => external_id === 'LAST');
  expect(last).toMatchObject([{ status: 'canceled', cancel_reason: 'late' }]);
  expect(next.length).toBeLessThan(numbers.length);
});

test('a key that may not read products still reads the lines of orders', async () => {
  const { key } = await api.make.key({ permissions: ['orders:read'] });
  const { code, stdout, stderr } = await tool.run([...pull, '--since', '1h'], { env: { COMANDA_KEY: key } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('permission') });
  expect(rowsIn(stdout).every(({ product_sku }) => product_sku !== '')).toBe(true);
});

test.each([
  [[], '--since is required'],
  [['--since', 'yesterday'], '--since must be a time'],
  [['--since', '1h', '--decimal', 'dot'], '--decimal must be comma or point'],
  [['--state', 'comanda.mjs'], 'is no file of pull orders'],
])('%j is refused', async (words, message) => {
  expect(await tool.run([...pull, ...words])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});
