/** A field that a column may bring. */
export interface Field {
  name: string;
  type: 'text' | 'decimal' | 'boolean' | 'list';
  /** Of a text: its most characters. */
  longest?: number;
  /** Of a text: it holds no control characters. */
  plain?: true;
  /** Of a text: it is an address of the web. */
  url?: true;
  /** Of a decimal: so many decimals at most. */
  decimals?: number;
  /** Of a decimal: it may be below zero. */
  signed?: true;
  /** Of a decimal: the most that it may be, unless as an amount. */
  most?: number;
}

/** A kind of file: its fields, and where they go. */
export interface Kind {
  name: 'products' | 'stock' | 'prices';
  /** The operation that takes it, and the member of its body that has the rows. */
  path: string;
  rows: 'items' | 'prices';
  /** It is carried out at a moment that is said with it, and has no dry run. */
  isPlanned?: true;
  permissions: readonly string[];
  fields: readonly Field[];
  /** Of each of these a file has one column at least, and a row one value. */
  needs: readonly (readonly string[])[];
  /** Names of which a row sends the first that is filled, as the service takes one. */
  oneOf: readonly string[];
}

const externalId: Field = { name: 'external_id', type: 'text', longest: 255, plain: true };
const sku: Field = { name: 'sku', type: 'text', longest: 255 };
const productId: Field = { name: 'product_id', type: 'text', longest: 255 };
const price: Field = { name: 'price', type: 'decimal', decimals: 2 };
const productNames = ['external_id', 'sku', 'product_id'];
const quantity = (name: string): Field => ({ name, type: 'decimal', decimals: 3 });

/** The kinds that can be pushed. The service judges every value again; a fault that is found here needs no call. */
export const kinds: Readonly<Record<Kind['name'], Kind>> = {
  products: {
    name: 'products',
    path: '/v2/sync/products',
    rows: 'items',
    permissions: ['sync:products', 'sync:read'],
    fields: [
      externalId,
      sku,
      { name: 'name', type: 'text', longest: 255 },
      { name: 'description', type: 'text', longest: 10_000 },
      price,
      { name: 'tax_rate', type: 'decimal', decimals: 4, most: 100 },
      { name: 'visible', type: 'boolean' },
      { name: 'image_url', type: 'text', longest: 2_048, url: true },
      { name: 'category_external_ids', type: 'list' },
    ],
    needs: [['external_id'], ['name'], ['price']],
    oneOf: [],
  },
  stock: {
    name: 'stock',
    path: '/v2/stock/sync',
    rows: 'items',
    permissions: ['stock:sync'],
    fields: [
      externalId,
      sku,
      productId,
      quantity('quantity'),
      { ...quantity('adjust'), signed: true },
      quantity('expected'),
      quantity('min_stock_alarm'),
      { name: 'enabled', type: 'boolean' },
    ],
    needs: [productNames, ['quantity', 'adjust']],
    oneOf: productNames,
  },
  prices: {
    name: 'prices',
    path: '/v2/price-changes',
    rows: 'prices',
    isPlanned: true,
    permissions: ['products:write'],
    fields: [externalId, sku, productId, price],
    needs: [productNames, ['price']],
    oneOf: productNames,
  },
};

/** Lists in one cell are set apart by it. */
export const listSign = '|';

const largest = 9_999_999_999.99;
const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  '1': true,
  false: false,
  no: false,
  '0': false,
};

/** The value of a cell that is not empty, or why it is none. A decimal is given as JSON has it. */
export function readValue(field: Field, cell: string): { value: unknown } | { reason: string } {
  const refuse = (message: string) => ({ reason: `${field.name}: ${message}` });
  if (field.type === 'decimal') {
    const value = Number(cell);
    if (value < 0 && field.signed !== true) return refuse('must not be negative');
    const { most = largest } = field;
    if (Math.abs(value) > most) return refuse(`must be at most ${most}`);
    if ((cell.split('.')[1]?.length ?? 0) > (field.decimals ?? 0))
      return refuse(`must have at most ${field.decimals} decimals`);
    return { value };
  }
  if (field.type === 'boolean') {
    const value = booleans[cell.toLowerCase()];
    return value === undefined ? refuse(`"${cell}" is not true, false, yes, no, 1 or 0`) : { value };
  }
  if (field.type === 'list') {
    const parts = cell.split(listSign).map((part) => part.trim());
    return { value: parts.filter((part) => part !== '') };
  }
  if ([...cell].length > (field.longest ?? 0)) return refuse(`must have at most ${field.longest} characters`);
  if (field.plain === true && /\p{Cc}/u.test(cell)) return refuse('must not contain control characters');
  if (field.url === true && !(/^https?:\/\//i.test(cell) && URL.canParse(cell)))
    return refuse('must be an http or https URL');
  return { value: cell };
}
