import { describe, expect, test } from 'vitest';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { words } from '../../../tests/support/words.ts';
import { useDownload } from './comanda-mjs.ts';
import { encodings } from './csv-files.ts';

const api = usePublishingApi();
const tool = useDownload(api, { batchJobsPerHour: 1_000 });

interface Product {
  external_id: string;
  name: string;
  price: number;
  description: string;
  stock: { quantity: number };
}
async function products(search: string): Promise<Product[]> {
  const { body } = await api.rest<{ data: Product[] }>(`GET /v2/products?limit=200&search=${search}`);
  return body.data;
}
const byId = async (id: string): Promise<Product> =>
  (await api.rest<{ data: Product }>(`GET /v2/products/by-external-id/${id}`)).body.data;

const signs = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };
const decimals = { comma: '1.234,50', point: '1,234.50' };

describe('a file of products is read as it was written', () => {
  const cases = Object.keys(encodings).flatMap((encoding) =>
    Object.keys(signs).flatMap((separator) =>
      Object.keys(decimals).map((decimal) => [encoding, separator, decimal]),
    ),
  );
  test.each(cases as [string, keyof typeof signs, keyof typeof decimals][])(
    '%s, %s, decimal %s',
    async (encoding, separator, decimal) => {
      const id = `M-${cases.findIndex((each) => each.join() === [encoding, separator, decimal].join())}`;
      const row = (...cells: string[]) =>
        `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(signs[separator])}\r\n`;
      const text = [
        row('External_ID', 'NAME', 'Price', 'description', 'supplier'),
        row(`${id}-a`, 'Café “crème”', decimals[decimal], 'two\nlines, and; all| of\tthem', 'ACME'),
        row(`${id}-b`, 'Ñandú €', '7', '', ''),
      ].join('');
      const { bytes, said } = encodings[encoding] ?? { bytes: Buffer.from, said: '' };
      tool.save('products.csv', bytes(text));
      const { code, stdout, stderr } = await tool.run(['push', 'products.csv', '--yes']);
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: '2 rows pushed\n',
        stderr:
          `comanda: products.csv: read as: ${said}, ${separator}, decimal ${decimal}, thousands set apart in price; 2 rows\n` +
          'comanda: columns not taken: supplier\n',
      });
      expect(await byId(`${id}-a`)).toMatchObject({
        name: 'Café “crème”',
        price: 1234.5,
        description: 'two\nlines, and; all| of\tthem',
      });
      expect(await byId(`${id}-b`)).toMatchObject({ name: 'Ñandú €', price: 7, description: '' });
    },
  );
});

test('columns are mapped, numbers forced, and the first line of Excel skipped', async () => {
  tool.save('export.txt', 'sep=;\r\nArtikel;Bezeichnung;VK;sku\r\nX-1;Brot;1.250;keep\r\n');
  const maps = words('--map artikel=external_id --map Bezeichnung=name --map VK=price --as products');
  const asked = await tool.run(['push', 'export.txt', '--yes', ...maps]);
  expect(asked.code).toBe(3);
  expect(asked.stderr).toContain('line 3  price: "1.250" may be 1250 or 1.25: give --decimal comma');
  expect(tool.load('export.refused.csv')).toMatch(
    /^\ufeffArtikel;Bezeichnung;VK;sku;refused_because\r\nX-1;Brot;1\.250;keep;/,
  );
  const { code, stderr } = await tool.run(['push', 'export.txt', '--yes', ...maps, '--decimal', 'comma']);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('columns: Artikel = external_id, Bezeichnung = name, VK = price'),
  });
  expect(await byId('X-1')).toMatchObject({ name: 'Brot', price: 1250 });
});

test.each([
  ['products.csv', 'name,price\n', [], 'no column for external_id; the file has name, price'],
  ['products.csv', '', [], 'the file is empty'],
  ['products.csv', 'external_id,name,price\nA,"x,1\n', [], 'line 2: a quote is opened and never closed'],
  ['products.csv', 'external_id,name,price,Price\n', [], 'the columns price and Price are both price'],
  ['products.csv', 'external_id,name,price\n', ['--map', 'code=sku'], 'no column code'],
  ['products.csv', 'external_id,name,price\n', ['--map', 'name=nmae'], 'no field is called nmae'],
  ['products.csv', 'external_id,name,price\n', ['--map', 'name'], 'their_column=our_field'],
  ['products.csv', 'external_id,name,price\n', ['--decimal', 'dot'], '--decimal must be'],
  [
    'products.csv',
    'external_id,name,price\n',
    ['--decimal', 'cost=comma'],
    'no column of numbers brings cost',
  ],
  ['products.csv', 'external_id,name,price\n', ['--separator', 'x'], '--separator must be'],
  ['products.csv', 'external_id,name,price\n', ['--mode', 'replace'], '--mode must be'],
  ['stock.csv', 'sku,quantity\n', ['--mode', 'create'], '--mode is of products'],
  ['stock.csv', 'quantity\n', [], 'no column for external_id or sku or product_id'],
  ['items.csv', 'sku,quantity\n', [], 'give --as products or --as stock'],
  ['items.csv', 'sku,quantity\n', ['--as', 'stocks'], 'give --as products'],
])('%s with %j and %j is refused before anything is sent', async (name, text, words, message) => {
  tool.save(name, text);
  const { code, stderr } = await tool.run(['push', name, '--yes', ...words], {
    env: { COMANDA_URL: 'http://127.0.0.1:9' },
  });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});

test('without a person it says how to go on', async () => {
  tool.save('products.csv', 'external_id,name,price\nA,a,1\n');
  for (const [words, message] of [
    [[], '--yes to push, or --dry-run to look'],
    [['--yes', '--dry-run'], 'not both'],
  ] as const)
    expect(await tool.run(['push', 'products.csv', ...words])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
});

test('a dry run says every difference, and changes nothing', async () => {
  tool.save('products.csv', 'external_id;name;price\nD-1;Tea;3,50\nD-2;Cake;4\n');
  expect((await tool.run(['push', 'products.csv', '--yes'])).code).toBe(0);
  tool.save(
    'products.csv',
    'external_id;name;price\nD-1;Tea;3,75\nD-2;Cake;4\nD-3;Pie;5,125\nD-4;New\u0007;5\nD-1;x;1\n',
  );
  const { code, stdout } = await tool.run(['push', 'products.csv', '--dry-run']);
  expect(code).toBe(3);
  expect(stdout).toMatch(
    /^updated {2}external_id D-1 {2}price 3\.5 -> 3\.75\ncreated {2}external_id D-4 {2}.*name "New\\u0007".*\n/,
  );
  expect(stdout).toContain('refused  line 4  price: must have at most 2 decimals\n');
  expect(stdout).toContain('refused  line 6  external_id D-1 is in line 2, too\n');
  expect(stdout).toMatch(/\n1 created, 1 updated, 1 unchanged, 2 refused\n$/);
  expect(await byId('D-1')).toMatchObject({ price: 3.5 });
});

test('a rate of tax is pushed with the product, and one over 100 is refused with its line', async () => {
  tool.save(
    'products.csv',
    'external_id;name;price;tax_rate\nR-1;Tea;3,50;10,5\nR-2;Cake;4;101\nR-3;Pie;4;\n',
  );
  const { code, stderr } = await tool.run(['push', 'products.csv', '--yes']);
  expect([code, stderr]).toEqual([3, expect.stringContaining('line 3  tax_rate: must be at most 100')]);
  const { data } = await api.client().products.list.query({ search: 'R-', include: ['tax'] });
  const rates = data.map(({ external_id, tax_rate }) => [external_id, tax_rate]).sort();
  expect(rates).toEqual([
    ['R-1', 10.5],
    ['R-3', undefined],
  ]);
});

test('stock is set, adjusted, and compared by the names of products', async () => {
  await api.make.product({ externalId: 'S-1', sku: 'SK-1', stock: { quantity: 5 } });
  await api.make.product({ externalId: 'S-2', sku: 'SK-2', stock: { quantity: 5 } });
  await api.make.product({ externalId: 'S-3', sku: 'SK-3', stock: { quantity: 5 } });
  tool.save(
    'stock.csv',
    'external_id;sku;quantity;adjust;expected\nS-1;SK-1;1.000,5;;\n;SK-2;;-2;5\nS-3;;9;;4\nS-9;;1;;\n;;1;;\nS-3;;1;1;\n',
  );
  const { code, stdout, stderr } = await tool.run(['push', 'stock.csv', '--yes']);
  expect({ code, stdout }).toEqual({ code: 3, stdout: '2 rows pushed; 4 refused: stock.refused.csv\n' });
  expect(stderr.split('\n').filter((line) => line.includes('refused  '))).toEqual([
    'comanda: refused  line 4  There are 5, not 4.',
    'comanda: refused  line 5  There is no product with external_id S-9.',
    'comanda: refused  line 6  external_id or sku or product_id: is empty',
    'comanda: refused  line 7  quantity and adjust are both filled',
  ]);
  const quantities = (await products('S-')).map(({ external_id, stock }) => [external_id, stock.quantity]);
  expect(Object.fromEntries(quantities)).toMatchObject({ 'S-1': 1000.5, 'S-2': 3, 'S-3': 5 });
});

test('a key that may not push learns it before anything is sent', async () => {
  tool.save('stock.csv', 'sku;quantity\nSK-1;1\n');
  tool.save('products.csv', 'external_id,name,price\nA,a,1\n');
  const { key } = await api.make.key({ permissions: ['sync:products'] });
  for (const [file, missing] of [
    ['stock.csv', 'stock:sync'],
    ['products.csv', 'sync:read'],
  ] as const)
    expect(await tool.run(['push', file, '--yes'], { env: { COMANDA_KEY: key } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`lacks the permission ${missing}\n`),
    });
});

test('a file that a spreadsheet has saved makes no second product, and rewrites no identifier, unless that is said', async () => {
  const first = 'external_id,sku,name,price\n00100,0012345678901,Zero,5.00\nZ-1,1234567890123456789,Long,6\n';
  tool.save('products.csv', first);
  expect((await tool.run(['push', 'products.csv', '--yes'])).code).toBe(0);
  tool.save(
    'products.csv',
    'external_id,sku,name,price\n100,12345678901,Zero,5\nZ-1,1.23456789012346E+018,Long,6\n',
  );
  const refused = await tool.run(['push', 'products.csv', '--yes']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  for (const line of [
    'line 3  sku "1.23456789012346E+018": a spreadsheet has shortened it',
    'line 2  external_id "100": it differs from an existing one by leading zeros alone ("00100")',
    'line 2  sku "12345678901": it differs from an existing one by leading zeros alone ("0012345678901")',
    'nothing was pushed: correct the file, or push it as it is with --accept-rewritten-ids',
  ])
    expect(refused.stderr).toContain(line);
  expect((await tool.run(['push', 'products.csv', '--dry-run'])).code).toBe(1);
  expect((await api.rest('GET /v2/products/by-external-id/100')).status).toBe(404);
  const accepted = await tool.run(['push', 'products.csv', '--yes', '--accept-rewritten-ids']);
  expect(accepted).toMatchObject({ code: 0, stdout: '2 rows pushed\n' });
  // Now they exist as they are.
  expect(await tool.run(['push', 'products.csv', '--yes'])).toMatchObject({ code: 0 });
});

test('what keeps a spreadsheet from reading a cell is no part of it, and a column without a name has its position', async () => {
  const text = `external_id;name;;price;\n="00042";'=1+1 Combo;x;'-0;y\n"=""00043""";'quoted';;7;\n`;
  tool.save('products.csv', text);
  const { stderr } = await tool.run(['push', 'products.csv', '--yes']);
  expect(stderr).toContain('columns not taken: column 3, column 5\n');
  expect(await byId('00042')).toMatchObject({ name: '=1+1 Combo', price: 0 });
  expect(await byId('00043')).toMatchObject({ name: "'quoted'", price: 7 });
});
