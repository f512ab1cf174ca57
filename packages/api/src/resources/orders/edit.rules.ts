import type { FieldFault } from '../../errors.ts';
import { type AppliedAdjustment, adjust, sumOf } from './adjustments.rules.ts';
import { decimalText, divideRounded, scaled } from './decimals.rules.ts';
import type { OrderLinesEdit } from './edit.schema.ts';
import type { OrderFacts, PricedLine, Wanted } from './facts.rules.ts';
import { largest, priceLine, Stack, totalTooLarge, unitFaults } from './rules.ts';
import { selectionFaults } from './selections.rules.ts';

/** A choice of a stored line. */
interface StoredChoice {
  item_id: string;
  quantity: number;
  name: string;
  price: number;
  external_id?: string;
  stock_taken?: boolean;
}

/** A line as it is stored; decimals are text. */
export interface StoredLine {
  line: number;
  product_id: string;
  name: string;
  unit_price: string;
  quantity: string;
  total: string;
  comment: string | null;
  selections: StoredChoice[];
  stock_taken: boolean;
}

/** What an edit of lines begins from. */
export interface EditedOrder {
  lines: readonly StoredLine[];
  adjustments: readonly AppliedAdjustment[] | null;
  /** The greatest number that was given to a line or kept from use. */
  lastLine: number;
}

type ChangedLine = Omit<StoredLine, 'stock_taken'> & { is_new: boolean };

/** What an edit takes of a product or item, or gives back below zero, in thousandths: by lines that had taken of it, and by what is new. */
export interface Taken {
  id: string;
  kept: bigint;
  added: bigint;
  /** Where it is wanted first. */
  path: string;
}

/** An edit of lines that was decided, as edit_order makes it (prisma/sql/order_edits.sql). */
export interface LinesEdit {
  total: string;
  adjustments: AppliedAdjustment[] | null;
  lastLine: number;
  lines: ChangedLine[];
  removed: number[];
  products: Taken[];
  choices: Taken[];
  /** For the timeline. */
  difference: Record<'added' | 'changed' | 'removed', object[]>;
}

/** The greatest number of a line that is given: the column holds 32,767. */
const greatestLine = 32_000;

/**
 * Decides an edit of lines. Lines that stay keep their price, and choices that were made before theirs; new ones take those of `facts`. A line
 * that goes takes its discounts along. `faults` are all reasons against it, except for stock. Contract: 13.14.
 */
export function editLines(
  { lines, adjustments, lastLine }: EditedOrder,
  { add = [], change = [], remove = [] }: OrderLinesEdit,
  facts: OrderFacts,
): { edit: LinesEdit; faults: FieldFault[] } {
  const faults: FieldFault[] = [];
  const held = new Map(lines.map((line) => [line.line, line]));
  const totals = new Map(lines.map(({ line, total }) => [line, scaled(total, 2)]));
  const taken = { products: new Takings(), choices: new Takings() };
  const changed: ChangedLine[] = [];
  const difference: LinesEdit['difference'] = { added: [], changed: [], removed: [] };
  const lineOf = (number: number, path: string): StoredLine | undefined => {
    const line = held.get(number);
    if (line === undefined) faults.push({ path, message: `the order has no line ${number}` });
    return line;
  };
  for (const [index, number] of remove.entries()) {
    const line = lineOf(number, `items.remove[${index}]`);
    if (line === undefined) continue;
    totals.delete(number);
    giveBack(taken, line);
    difference.removed.push(shown(number, line));
  }
  for (const [index, given] of change.entries()) {
    const path = `items.change[${index}]`;
    const line = lineOf(given.line_id, `${path}.line_id`);
    if (line === undefined) continue;
    const after = changeLine(line, given, facts, path, taken);
    for (const fault of after.faults) faults.push(fault);
    totals.set(line.line, after.cents);
    if (JSON.stringify({ ...line, ...after.line }) === JSON.stringify(line)) continue;
    changed.push({ ...after.line, is_new: false });
    difference.changed.push({
      ...shown(line.line, after.line),
      ...(after.line.quantity !== line.quantity && { quantity_before: Number(line.quantity) }),
      ...(given.comment !== undefined && { comment: true }),
      ...(given.subselections !== undefined && { subselections: true }),
    });
  }
  const first = lines.reduce((greatest, { line }) => Math.max(greatest, line), lastLine) + 1;
  const wanted = { products: new Stack(), choices: new Stack() };
  for (const [index, item] of add.entries()) {
    const priced = priceLine(item, facts, `items.add[${index}]`, wanted, faults);
    if (priced === undefined) continue;
    totals.set(first + index, priced.cents);
    const line = { ...stored(priced.line), line: first + index };
    changed.push({ ...line, is_new: true });
    difference.added.push(shown(first + index, line));
  }
  for (const each of wanted.products.all()) taken.products.addNew(each);
  for (const each of wanted.choices.all()) taken.choices.addNew(each);
  // Each edit raises it, so that the tag of the order is another one.
  const isEdited = changed.length + remove.length > 0;
  const newest = isEdited ? first + Math.max(0, add.length - 1) : lastLine;
  if (newest > greatestLine)
    faults.push({ path: 'items', message: 'the order was edited too often: place another one' });
  if (totals.size === 0 || totals.size > 200)
    faults.push({ path: 'items', message: `must leave 1 to 200 lines, not ${totals.size}` });
  const left = (adjustments ?? []).filter(({ line }) => line === undefined || totals.has(line));
  const adjusted = adjust(
    left.map(({ total: _, ...given }) => given),
    totals,
  );
  const subtotal = sumOf(totals.values());
  const total = subtotal + adjusted.sum;
  if (subtotal > largest || total > largest) faults.push(totalTooLarge);
  return {
    edit: {
      total: decimalText(total < 0n ? 0n : total, 2),
      adjustments: left.length === 0 ? null : adjusted.applied,
      lastLine: newest,
      lines: changed,
      removed: [...remove],
      products: taken.products.all(),
      choices: taken.choices.all(),
      difference,
    },
    faults: [...faults, ...adjusted.faults],
  };
}

function changeLine(
  line: StoredLine,
  { quantity: asked, comment, subselections }: NonNullable<OrderLinesEdit['change']>[number],
  facts: OrderFacts,
  path: string,
  taken: { products: Takings; choices: Takings },
) {
  const quantity = scaled(asked ?? line.quantity, 3);
  const quantityPath = `${path}.quantity`;
  let { selections } = line;
  let unit = scaled(line.unit_price, 2);
  if (subselections !== undefined) {
    unit -= sumOf(selections.map(priceOf));
    selections = subselections.flatMap(({ item_id, quantity: each }) => chosen(line, facts, item_id, each));
    unit += sumOf(selections.map(priceOf));
  }
  giveBack(taken, line);
  if (line.stock_taken) taken.products.add(line.product_id, quantity, 0n, quantityPath);
  for (const [index, choice] of selections.entries()) {
    const at = subselections === undefined ? quantityPath : `${path}.subselections[${index}].quantity`;
    const each = quantity * BigInt(choice.quantity);
    if (choice.stock_taken === undefined) taken.choices.add(choice.item_id, 0n, each, at);
    else if (choice.stock_taken) taken.choices.add(choice.item_id, each, 0n, at);
  }
  const cents = divideRounded(quantity * unit, 1_000n);
  const { stock_taken: _, ...kept } = line;
  const after = {
    ...kept,
    selections,
    comment: comment === undefined ? line.comment : comment,
    unit_price: decimalText(unit, 2),
    quantity: decimalText(quantity, 3),
    total: decimalText(cents, 2),
  };
  const faults = subselections === undefined ? [] : choiceFaults(line, subselections, facts, path);
  return { line: after, cents, faults: [...faults, ...unitFaults(unit, path)] };
}

const priceOf = ({ price, quantity }: StoredChoice): bigint => scaled(price, 2) * BigInt(quantity);

/** A choice at the price that it had in the line, or else at that of now. */
function chosen(line: StoredLine, facts: OrderFacts, itemId: string, quantity: number): StoredChoice[] {
  const before = line.selections.find(({ item_id }) => item_id === itemId);
  if (before !== undefined) return [{ ...before, quantity }];
  const now = facts.choices.get(itemId);
  return now === undefined ? [] : [{ item_id: itemId, quantity, name: now.name, price: Number(now.price) }];
}

function choiceFaults(
  { product_id }: StoredLine,
  subselections: NonNullable<NonNullable<OrderLinesEdit['change']>[number]['subselections']>,
  facts: OrderFacts,
  path: string,
): FieldFault[] {
  if (facts.products.has(product_id))
    return selectionFaults({ product_id, quantity: 1, subselections }, facts, path);
  return [{ path: `${path}.subselections`, message: 'unknown product', reason: 'unknown_product' }];
}

function giveBack(taken: { products: Takings; choices: Takings }, line: StoredLine): void {
  const quantity = scaled(line.quantity, 3);
  if (line.stock_taken) taken.products.add(line.product_id, -quantity, 0n);
  for (const { item_id, quantity: each, stock_taken } of line.selections)
    if (stock_taken) taken.choices.add(item_id, -quantity * BigInt(each), 0n);
}

const stored = ({ comment, ...line }: PricedLine) => ({ ...line, comment: comment ?? null });

const shown = (line: number, { name, quantity }: Pick<StoredLine, 'name' | 'quantity'>) => ({
  line_id: line,
  name,
  quantity: Number(quantity),
});

/** Adds up what is taken of each product or item. */
class Takings {
  readonly #all = new Map<string, Taken>();

  add(id: string, kept: bigint, added: bigint, path = ''): void {
    const known = this.#all.get(id) ?? { id, kept: 0n, added: 0n, path };
    known.kept += kept;
    known.added += added;
    if (known.path === '') known.path = path;
    this.#all.set(id, known);
  }

  addNew({ id, quantity, uses }: Wanted): void {
    this.add(id, 0n, quantity, uses[0]?.path);
  }

  all(): Taken[] {
    return [...this.#all.values()];
  }
}
