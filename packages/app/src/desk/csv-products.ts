import {
  type Category,
  type CellFault,
  type CsvCells,
  type CsvColumn,
  cellsOf,
  csvColumns,
  fresh,
  type Product,
  readCell,
} from './csv-cells.ts';
import { KnownIds, type Rewritten } from './csv-rewritten.ts';
import type { CsvRow } from './csv-text.ts';

/** Why a file, or a line of it, is not taken: the reason is a key of the texts. */
export interface CsvProblem {
  line: number;
  column?: string | undefined;
  reason:
    | CellFault
    | (
        | 'notCsv'
        | 'columnUnknown'
        | 'columnTwice'
        | 'columnMissing'
        | 'tooManyCells'
        | 'idUnknown'
        | 'namedTwice'
        | 'taken'
        | 'unnamed'
      );
  /** The subject of the reason: a text of the file, or a line. */
  what?: string;
}

/** A line that makes a product or changes one: the columns that differ, as they are and as they become. */
export interface CsvChange {
  line: number;
  /** Undefined: a new product. */
  id: string | undefined;
  name: string;
  columns: CsvColumn[];
  before: CsvCells | undefined;
  after: CsvCells;
}

/** The products that a file would make and change, and the identifiers to ask about; or why it is not taken. Nothing is written. */
export function compare(
  [head, ...rows]: readonly CsvRow[],
  products: readonly Product[],
  categories: readonly Category[],
): { changes: CsvChange[]; same: number; problems: CsvProblem[]; rewritten: Rewritten[] } {
  const { columns, problems } = columnsOf(head);
  const changes: CsvChange[] = [];
  if (problems.length > 0) return { changes, same: 0, problems, rewritten: [] };
  const find = finder(products);
  const seen = new Map<string, number>();
  const skus = new Map(products.map(({ sku, id }) => [sku, id]));
  const externalIds = new Map(
    products.flatMap(({ external_id, id }) => (external_id ? [[external_id, id]] : [])),
  );
  let same = 0;
  for (const { line, cells } of rows) {
    const problem = (reason: CsvProblem['reason'], column?: string, what?: string) =>
      problems.push({ line, reason, column, ...(what !== undefined && { what }) });
    const already = problems.length;
    if (cells.slice(columns.length).some((cell) => cell !== '')) problem('tooManyCells');
    const typed = new Map(columns.map((column, at) => [column, (cells[at] ?? '').trim()]));
    const product = find(typed);
    if (typed.get('id') && product === undefined) problem('idUnknown', 'id', typed.get('id'));
    const before = product && cellsOf(product, categories, '.');
    const after: CsvCells = { ...(before ?? fresh) };
    for (const [column, cell] of typed) {
      const read = readCell(column, cell, { categories, before: before?.[column] });
      if ('reason' in read) problem(read.reason, column, read.what);
      else Object.assign(after, { [column]: read.text });
    }
    // Read again, a line without either would make another product.
    if (product === undefined && after.external_id === '' && after.sku === '') problem('unnamed');
    for (const column of ['name', 'price'] as const)
      if (after[column] === '' && problems.length === already) problem('required', column);
    for (const [column, owners] of [
      ['sku', skus],
      ['external_id', externalIds],
    ] as const) {
      const owner = after[column] === '' ? undefined : owners.get(after[column]);
      if (owner !== undefined && owner !== product?.id) problem('taken', column, after[column]);
    }
    const name = product?.id ?? [after.external_id, after.sku].find((each) => each !== '');
    const earlier = name === undefined ? undefined : seen.get(name);
    if (earlier !== undefined) problem('namedTwice', undefined, String(earlier));
    else if (name !== undefined) seen.set(name, line);
    const differing = csvColumns.filter(
      (column) => column !== 'id' && after[column] !== (before ?? fresh)[column],
    );
    if (problems.length > already) continue;
    if (product !== undefined && differing.length === 0) same += 1;
    else changes.push({ line, id: product?.id, name: after.name, columns: differing, before, after });
  }
  return { changes, same, problems, rewritten: rewrittenIn(changes, products) };
}

/** The new identifiers that a spreadsheet may have rewritten. */
function rewrittenIn(changes: readonly CsvChange[], products: readonly Product[]): Rewritten[] {
  const known = { external_id: new KnownIds(), sku: new KnownIds() };
  for (const { external_id, sku } of products) {
    known.sku.add(sku.trim());
    if (external_id) known.external_id.add(external_id.trim());
  }
  return changes.flatMap(({ line, columns, after }) =>
    (['external_id', 'sku'] as const).flatMap((column) => {
      const found = columns.includes(column) ? known[column].rewritingOf(after[column]) : undefined;
      return found === undefined ? [] : [{ line, column, text: after[column], ...found }];
    }),
  );
}

function columnsOf(head: CsvRow | undefined): { columns: CsvColumn[]; problems: CsvProblem[] } {
  const line = head?.line ?? 1;
  const names = (head?.cells ?? []).map((cell) => cell.trim().toLowerCase());
  while (names.at(-1) === '') names.pop();
  const known: readonly string[] = csvColumns;
  const problems = names.flatMap((name, at): CsvProblem[] =>
    !known.includes(name)
      ? [{ line, column: name || String(at + 1), reason: 'columnUnknown', what: csvColumns.join(', ') }]
      : names.indexOf(name) < at
        ? [{ line, column: name, reason: 'columnTwice' }]
        : [],
  );
  if (!['id', 'external_id', 'sku'].some((name) => names.includes(name)))
    problems.push({ line, reason: 'columnMissing', what: 'id, external_id, sku' });
  return { columns: names as CsvColumn[], problems };
}

/** Finds the product of a line: by its id, else its external id, else its SKU. */
function finder(products: readonly Product[]) {
  const by = (key: (product: Product) => string | undefined) =>
    new Map(products.map((product) => [key(product)?.trim(), product]));
  const found = [
    ['id', by(({ id }) => id)],
    ['external_id', by(({ external_id }) => external_id)],
    ['sku', by(({ sku }) => sku)],
  ] as const;
  return (typed: ReadonlyMap<CsvColumn, string>): Product | undefined => {
    const [named] = found.filter(([column]) => typed.get(column));
    return named?.[1].get(typed.get(named[0]));
  };
}
