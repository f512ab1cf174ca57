import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as tool from '../../extras/integrator/src/csv/typed.ts';
import * as push from '../../extras/integrator/src/push/rewritten.ts';
import { cellsOf, csvColumns, type Product } from '../../packages/app/src/desk/csv-cells.ts';
import { compare } from '../../packages/app/src/desk/csv-products.ts';
import * as desk from '../../packages/app/src/desk/csv-rewritten.ts';
import { asTyped, CsvFault, readCsv, textOf, writeCsv } from '../../packages/app/src/desk/csv-text.ts';

const cells = (text: string) => readCsv(text).map((row) => row.cells);

describe('a file is read', () => {
  it.each<[string, string, string[]]>([
    ['with a mark and either end of line', '\uFEFFa,b\r\n1,2\n3,4\r5,6', ['a|b', '1|2', '3|4', '5|6']],
    ['with semicolons and decimal commas', 'sku;price\r\nA;12,50\r\n', ['sku|price', 'A|12,50']],
    ['with tabs', 'a\tb\n1\t2', ['a|b', '1|2']],
    ["with Excel's own first line", 'sep=;\r\na;b\r\n1,5;2', ['a|b', '1,5|2']],
    [
      'with quotes, delimiters and lines in a cell',
      'a,b\n"x ""y"", z","1\r\n2"\n',
      ['a|b', 'x "y", z|1\r\n2'],
    ],
    ['with a delimiter in the quotes of its first line', '"a;b;c",d\n1,2', ['a;b;c|d', '1|2']],
    ['with empty cells and blank lines', 'a,b,c\n\n,,\n1,,\n', ['a|b|c', '1||']],
    ['with numbers kept as text', 'a,b\n="00042","=""0""""1"""\n', ['a|b', '00042|0"1']],
    ['that is empty', '', []],
    ['whose last cell is empty', 'a,b\n1,', ['a|b', '1|']],
  ])('%s', (_, text, rows) => {
    expect(cells(text)).toEqual(rows.map((row) => row.split('|')));
  });

  it('with the line that each row begins in', () => {
    expect(readCsv('a\n"1\n2"\n\n3\n').map(({ line }) => line)).toEqual([1, 2, 5]);
    expect(readCsv('sep=;\na\n1').map(({ line }) => line)).toEqual([2, 3]);
  });

  it.each([
    ['a quote that is not closed', 'a,b\n1,"2\n3', 2],
    ['a quote within a cell', 'a,b\n1,2"3\n', 2],
    ['text behind a quote', 'a\n"1"2\n', 2],
  ])('and refused for %s, by its line', (_, text, line) => {
    expect(() => readCsv(text)).toThrow(CsvFault);
    try {
      readCsv(text);
    } catch (error) {
      expect(error).toMatchObject({ line });
    }
  });

  it('in the encodings of spreadsheets', () => {
    const bytes = (...all: number[]) => new Uint8Array(all).buffer;
    expect(textOf(new TextEncoder().encode('Café').buffer as ArrayBuffer)).toBe('Café');
    expect(textOf(bytes(0x43, 0x61, 0x66, 0xe9))).toBe('Café');
    expect(textOf(bytes(0xff, 0xfe, 0x43, 0, 0xe9, 0))).toBe('Cé');
  });
});

describe('a file that is written', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', "'=1", "'quoted'", "''"])(
    'has no formula of %j',
    (text) => {
      const written = writeCsv([['a'], [text]], ',');
      expect(written).toMatch(/^\uFEFFa\r\n"?'/);
      expect(cells(written)).toEqual([['a'], [text]]);
    },
  );

  it('is read as it was', () => {
    const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[=+\-@'",;\t\r\n a]{0,6}$/));
    const row = fc.array(cell, { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.constantFrom(';', ',', '\t'), (rows, delimiter) => {
        const whole = [['a', 'b', 'c'], ...rows.filter((each) => each.some((text) => text !== ''))];
        expect(cells(writeCsv(whole, delimiter as ','))).toEqual(whole);
      }),
    );
  });
});

const categories = [
  { id: 'c1', name: 'Hot' },
  { id: 'c2', name: 'Cold' },
  { id: 'c3', name: 'Twin' },
  { id: 'c4', name: 'Twin' },
];
const product = (overrides: Partial<Product> = {}): Product =>
  ({
    id: 'p1',
    external_id: 'E1',
    sku: 'S1',
    name: 'Tea',
    description: 'Leaf',
    price: 12.5,
    visible: true,
    image_url: '',
    categories: [{ id: 'c1', name: 'Hot' }],
    updated_at: '',
    stock: { enabled: true, quantity: 3, min_stock_alarm: 1 },
    ...overrides,
  }) as Product;
const compared = (text: string, products = [product()]) => compare(readCsv(text), products, categories);

/** A problem at a line, and in a column of it. */
const at = (line: number, reason: string, column?: string) => ({ line, reason, ...(column && { column }) });

describe('a file of products is compared', () => {
  it('with nothing to write where it is as it was written', () => {
    const all = [
      product(),
      product({
        id: 'p2',
        external_id: undefined,
        sku: '-2',
        name: ' =Cola "x" ',
        description: 'a\r\nb',
        price: 0,
      }),
      product({
        id: 'p3',
        external_id: 'E3',
        sku: 'S3',
        categories: [
          { id: 'c4', name: 'Twin' },
          { id: 'c2', name: 'Cold' },
        ],
      }),
      product({
        id: 'p4',
        external_id: 'E4',
        sku: 'S4',
        stock: { ...product().stock, enabled: false },
        categories: [],
      }),
    ];
    for (const [decimal, delimiter] of [
      ['.', ','],
      [',', ';'],
    ] as const) {
      const rows = all.map((each) => csvColumns.map((column) => cellsOf(each, categories, decimal)[column]));
      expect(compared(writeCsv([csvColumns, ...rows], delimiter), all)).toEqual({
        changes: [],
        same: 4,
        problems: [],
        rewritten: [],
      });
    }
  });

  it('column by column, and a column that is not there stays', () => {
    expect(compared('sku;price;stock\nS1;13,50;2,5').changes).toMatchObject([
      {
        line: 2,
        id: 'p1',
        columns: ['price', 'stock'],
        before: { price: '12.5' },
        after: { price: '13.5', stock: '2.5' },
      },
    ]);
    expect(compared('external_id,categories,visible\nE1,Cold|Hot,no').changes).toMatchObject([
      { columns: ['visible', 'categories'], after: { categories: 'Hot | Cold', visible: 'no' } },
    ]);
  });

  it('with an empty id, SKU, visibility and stock as they are, and an empty description emptied', () => {
    expect(compared('id,external_id,sku,visible,stock,description\np1,,,,,').changes).toMatchObject([
      { columns: ['description'], after: { sku: 'S1', external_id: 'E1', stock: '3', visible: 'yes' } },
    ]);
  });

  it('with a new product, which has a name, a price, and an id of its own', () => {
    expect(compared('sku,name,price\nS9,Mate,5')).toMatchObject({
      problems: [],
      changes: [{ id: undefined, name: 'Mate' }],
    });
    expect(compared('sku,name\nS9,Mate').problems).toMatchObject([at(2, 'required', 'price')]);
    expect(compared('sku,name,price\n,Mate,5').problems).toMatchObject([at(2, 'unnamed')]);
  });

  it.each<[string, string, object]>([
    ['an unknown column', 'sku,precio\nS1,1', at(1, 'columnUnknown', 'precio')],
    ['a column twice', 'sku,sku\nS1,1', at(1, 'columnTwice', 'sku')],
    ['no column that names a product', 'name,price\nTea,1', at(1, 'columnMissing')],
    ['too many cells', 'sku,price\nS1,1,2', at(2, 'tooManyCells')],
    ['a price that is none', 'sku,price\nS1,1.234,50', at(2, 'tooManyCells')],
    ['a price with a separator of thousands', 'sku;price\nS1;1.234,50', at(2, 'notPrice', 'price')],
    ['an empty price', 'sku;price\nS1;', at(2, 'required', 'price')],
    ['a quantity that is none', 'sku,stock\nS1,many', at(2, 'notQuantity', 'stock')],
    ['a visibility that is none', 'sku,visible\nS1,maybe', at(2, 'notYesOrNo', 'visible')],
    ['an unknown category', 'sku,categories\nS1,Hot|Warm', { line: 2, column: 'categories', what: 'Warm' }],
    ['a category of several', 'sku,categories\nS1,Twin', at(2, 'categoryTwice', 'categories')],
    ['an unknown id', 'id,price\nnone,1', at(2, 'idUnknown', 'id')],
    ['a product twice', 'sku,external_id,price\nS1,,1\n,E1,2', { line: 3, reason: 'namedTwice', what: '2' }],
    ['a name that is too long', `sku,name\nS1,${'a'.repeat(256)}`, at(2, 'tooLong', 'name')],
  ])('and not taken for %s', (_, text, problem) => {
    expect(compared(text).problems).toContainEqual(expect.objectContaining(problem));
  });

  it('and not taken for a SKU that another product has', () => {
    const all = [product(), product({ id: 'p2', external_id: 'E2', sku: 'S2' })];
    expect(compared('id,sku\np2,S1', all).problems).toMatchObject([
      { line: 2, column: 'sku', reason: 'taken', what: 'S1' },
    ]);
  });
});

describe('the desk and `comanda.mjs push` read alike', () => {
  it.each([
    ["'=1+1", '=1+1'],
    ["'-5", '-5'],
    ["''quoted", "'quoted"],
    ["'n roll", "'n roll"],
    ['="00042"', '00042'],
    ['="a ""b"" c"', 'a "b" c'],
    [`'="00042"`, '="00042"'],
    ['=1+1', '=1+1'],
    ['="1"&"2"', '="1"&"2"'],
    ['00042', '00042'],
  ])('a cell %j as %j', (cell, text) => {
    expect([asTyped(cell), tool.asTyped(cell)]).toEqual([text, text]);
  });

  const existing = ['00042', '77', '1.5E+12', 'A-7', '0'];
  it.each([
    ['42', { kind: 'zeros', there: '00042' }],
    ['0042', { kind: 'zeros', there: '00042' }],
    ['0077', { kind: 'zeros', there: '77' }],
    ['00', { kind: 'zeros', there: '0' }],
    ['1.23E+18', { kind: 'shortened' }],
    ['1,23456789012346e+018', { kind: 'shortened' }],
    ['1E+5', { kind: 'shortened' }],
    ...['00042', '77', '1.5E+12', '43', '0A-7', 'A-7', '1E5', '12.3E+4', ''].map((id) => [id, undefined]),
  ] as [string, object | undefined][])('an identifier %j as %j', (id, rewriting) => {
    for (const { KnownIds } of [desk, push]) {
      const known = new KnownIds();
      for (const each of existing) known.add(each);
      expect(known.rewritingOf(id)).toEqual(rewriting);
    }
  });

  it('asks about new identifiers alone, and each in its own column', () => {
    const all = [product({ external_id: '00042', sku: '0077' })];
    expect(compared('external_id,sku,name,price\n42,1E+9,Tea,1\n00042,77,Tea,1', all).rewritten).toEqual([
      { line: 2, column: 'external_id', text: '42', kind: 'zeros', there: '00042' },
      { line: 2, column: 'sku', text: '1E+9', kind: 'shortened' },
      { line: 3, column: 'sku', text: '77', kind: 'zeros', there: '0077' },
    ]);
    expect(compared('external_id,sku,price\n00042,0077,1', all).rewritten).toEqual([]);
  });
});
