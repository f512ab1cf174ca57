import type { ComandaClient } from '@comanda/client';

/** A product as lists show it. */
export type Product = Awaited<ReturnType<ComandaClient['products']['list']['query']>>['data'][number];
/** A category as lists show it. */
export type Category = Pick<
  Awaited<ReturnType<ComandaClient['categories']['list']['query']>>['data'][number],
  'id' | 'name'
>;

/** The columns of a file of products, in the order in which they are written. */
export const csvColumns = [
  ...([
    'id',
    'external_id',
    'sku',
    'name',
    'description',
    'price',
    'visible',
    'stock',
    'categories',
  ] as const),
];

/** A column of a file of products. */
export type CsvColumn = (typeof csvColumns)[number];

/** A product as a file has it, each column as its text. */
export type CsvCells = Readonly<Record<CsvColumn, string>>;

/** Why a cell is not taken. */
export type CellFault =
  | 'required'
  | 'tooLong'
  | 'notPrice'
  | 'notQuantity'
  | 'notYesOrNo'
  | 'categoryUnknown'
  | 'categoryTwice';

/** A product that is not there yet. */
export const fresh: CsvCells = {
  id: '',
  external_id: '',
  sku: '',
  name: '',
  description: '',
  price: '',
  visible: 'yes',
  stock: '',
  categories: '',
};

const separator = ' | ';
const longest: Partial<Record<CsvColumn, number>> = {
  external_id: 255,
  sku: 255,
  name: 255,
  description: 10_000,
};
const yes = new Set(['yes', 'true', '1', 'sí', 'si']);
const no = new Set(['no', 'false', '0']);

/** A text as it is compared: spreadsheets write the ends of lines their own way. */
const lines = (text: string): string => text.trim().replace(/\r\n?/g, '\n');

/** A product as a file has it. Stock that is not counted is empty; a category that shares its name with another is written by its id. */
export function cellsOf(product: Product, categories: readonly Category[], decimal: '.' | ','): CsvCells {
  const number = (value: number) => String(value).replace('.', decimal);
  return {
    id: product.id,
    external_id: (product.external_id ?? '').trim(),
    sku: product.sku.trim(),
    name: product.name.trim(),
    description: lines(product.description),
    price: number(product.price),
    visible: product.visible ? 'yes' : 'no',
    stock: product.stock.enabled ? number(product.stock.quantity) : '',
    categories: labelsOf(product.categories, categories),
  };
}

type Read = { text: string } | { reason: CellFault; what?: string };

/** A cell as it is compared. An empty one leaves the product's own ids, visibility and stock as they are. */
export function readCell(
  column: CsvColumn,
  cell: string,
  { categories, before }: { categories: readonly Category[]; before: string | undefined },
): Read {
  const most = longest[column];
  if (most !== undefined && cell.length > most) return { reason: 'tooLong', what: String(most) };
  if (column === 'categories') return readCategories(cell, categories);
  if (column === 'description') return { text: lines(cell) };
  if (cell === '')
    return column === 'name' || column === 'price'
      ? { reason: 'required' }
      : { text: before ?? fresh[column] };
  const plain = cell.replace(',', '.');
  if (column === 'price')
    return /^\d{1,10}(\.\d{1,2})?$/.test(plain)
      ? { text: String(Number(plain)) }
      : { reason: 'notPrice', what: cell };
  if (column === 'stock')
    return /^\d{1,10}(\.\d{1,3})?$/.test(plain)
      ? { text: String(Number(plain)) }
      : { reason: 'notQuantity', what: cell };
  if (column !== 'visible') return { text: cell };
  const word = cell.toLowerCase();
  return yes.has(word)
    ? { text: 'yes' }
    : no.has(word)
      ? { text: 'no' }
      : { reason: 'notYesOrNo', what: cell };
}

/** The categories that a cell names, in the order of the menu: the first that it names and that there is not, or that there is twice, refuses it. */
function readCategories(cell: string, categories: readonly Category[]): Read {
  const chosen = new Set<Category>();
  for (const wanted of namesIn(cell)) {
    const [found, another] = named(wanted, categories);
    if (found === undefined) return { reason: 'categoryUnknown', what: wanted };
    if (another !== undefined) return { reason: 'categoryTwice', what: wanted };
    chosen.add(found);
  }
  return { text: labelsOf(chosen, categories) };
}

/** The ids of the categories that a cell names. */
export const categoryIdsOf = (cell: string, categories: readonly Category[]): string[] =>
  namesIn(cell).flatMap((wanted) => named(wanted, categories)[0]?.id ?? []);

const namesIn = (cell: string): string[] =>
  cell
    .split('|')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const named = (wanted: string, categories: readonly Category[]): Category[] =>
  categories.filter(({ id, name }) => id === wanted || name.trim() === wanted);

/** Names behind bars; a category whose name is another's, or has a bar, by its id. */
function labelsOf(chosen: Iterable<Category>, categories: readonly Category[]): string {
  const ids = new Set([...chosen].map(({ id }) => id));
  return categories
    .filter(({ id }) => ids.has(id))
    .map(({ id, name }) =>
      name.includes('|') || named(name.trim(), categories).length > 1 ? id : name.trim(),
    )
    .join(separator);
}
