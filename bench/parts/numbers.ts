import { isDeepStrictEqual } from 'node:util';
import { withoutInexactNumbers } from '../../packages/api/src/bodies/numbers.ts';
import { scanStructure } from '../../packages/api/src/bodies/scan.ts';
import { scanBounds } from '../reference/scan-bounds.ts';
import { figureRow, type Row } from '../result.ts';
import type { Part } from './part.ts';

/** Bytes that each of those that are compared reads in a turn. */
const bytesATurn = 2_000_000;
const turns = 100;

/** The cost of judging the numbers of a body by their digits, as a share of the cost of `JSON.parse`. */
export const numbers: Part = {
  name: 'numbers',
  summary: 'judging numbers by their digits against JSON.parse',
  async run({ small }) {
    return Object.entries(bodies(small)).map(([name, body]) => compare(name, JSON.stringify(body), small));
  },
};

/** Each in turn, so that what disturbs the machine disturbs all of them. */
function compare(name: string, text: string, small: boolean): Row {
  const bytes = Buffer.from(text);
  const { unsureNumbers, ...bounds } = scanStructure(bytes, Number.MAX_SAFE_INTEGER);
  if (!isDeepStrictEqual(bounds, scanBounds(bytes, Number.MAX_SAFE_INTEGER)))
    throw new Error(`${name}: the two scans do not find the same`);
  if (withoutInexactNumbers(bytes, unsureNumbers) !== undefined)
    throw new Error(`${name}: a double represents every number of it`);
  const times = small ? 1 : Math.max(4, Math.ceil(bytesATurn / bytes.length));
  const work = {
    parse: () => JSON.parse(text),
    bounds: () => scanBounds(bytes, Number.MAX_SAFE_INTEGER),
    whole: () => withoutInexactNumbers(bytes, scanStructure(bytes, Number.MAX_SAFE_INTEGER).unsureNumbers),
  };
  const met = { parse: [] as number[], bounds: [] as number[], whole: [] as number[] };
  for (let turn = 0; turn < (small ? 2 : turns); turn += 1)
    for (const what of ['parse', 'bounds', 'whole'] as const) met[what].push(took(work[what], times));
  const [parse, alone, whole] = [met.parse, met.bounds, met.whole].map(undisturbed) as [
    number,
    number,
    number,
  ];
  return figureRow(
    'numbers',
    `the numbers of ${name} ÷ JSON.parse`,
    { most: 20, unit: '%' },
    Math.max(0.1, ((whole - alone) / parse) * 100),
    `${bytes.length} bytes: JSON.parse ${parse.toFixed(1)} µs, scan of the bounds ${alone.toFixed(1)} µs, with the numbers ${whole.toFixed(1)} µs`,
  );
}

/** The tenth percentile of the turns: other work on the machine only makes a turn slower. */
const undisturbed = (all: readonly number[]): number =>
  all.toSorted((one, other) => one - other)[Math.floor(all.length / 10)] ?? 0;

/** Microseconds that the work takes once. */
function took(work: () => unknown, times: number): number {
  const began = performance.now();
  for (let time = 0; time < times; time += 1) work();
  return ((performance.now() - began) * 1_000) / times;
}

const id = (at: number) =>
  `01935a3e-7c1f-7d2a-9b40-${(at * 7_919 + 1_000_003).toString(16).padStart(12, '0')}`;
const many = <Entry>(count: number, entry: (at: number) => Entry) =>
  Array.from({ length: count }, (_, at) => entry(at));

const product = (at: number, externalId = `ERP-${at}`) => ({
  external_id: externalId,
  sku: `SKU-${at}`,
  name: `Product ${at} of the kitchen`,
  description: 'Baked here every morning, with butter and a little salt.',
  price: (at * 37 + 995) / 100,
  visible: true,
  stock: { enabled: true, quantity: (at * 13) / 8, min_stock_alarm: 5 },
});

/** The bodies: an order, products, stock and a catalog. The identifiers of some ERPs are texts of 18 digits. */
const bodies = (small: boolean) => ({
  'an order of 20 items': {
    ...{ external_id: 'POS-7731', channel: 'kiosk', is_take_away: true, identifier: 'Table 4' },
    payment_method_id: id(0),
    items: many(20, (at) => ({
      ...{ product_id: id(at), quantity: (at % 3) + 1, comment: 'No onions, please' },
      subselections: [{ item_id: id(at + 100), quantity: 1 }],
    })),
  },
  'a batch of 250 products': { products: many(250, (at) => product(at)) },
  'the same with ids of 18 digits': {
    products: many(250, (at) => product(at, String(at).padStart(18, '0'))),
  },
  'a stock sync of 500 items': {
    items: many(500, (at) => ({ product_id: id(at), quantity: (at * 17) / 8 })),
  },
  'a catalog of 1 MB': {
    categories: many(small ? 1 : 32, (category) => ({
      ...{ external_id: `CAT-${category}`, name: `Category ${category}`, priority: category },
      products: many(60, (at) => ({
        ...product(category * 60 + at),
        image_url: `https://images.example.com/${id(at)}.jpg`,
        subselections: [
          {
            ...{ external_id: `S-${at}`, name: 'Size', min_selection: 1, max_selection: 1 },
            items: many(2, (item) => ({ external_id: `I-${item}`, name: 'Large', price: item / 2 })),
          },
        ],
      })),
    })),
  },
});
