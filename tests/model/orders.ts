import { json } from '../support/money.ts';
import {
  type Adjustment,
  type AppliedAdjustment,
  adjustmentBody,
  applyAdjustments,
  rounded,
  shownAdjustment,
  sumOf,
} from './adjustments.ts';
import { type Carried, carriedBody, shownCarried, shownCustomer } from './carried.ts';
import type { Category, Option, Product } from './offer.ts';
import { expectedPayment, latestPayment, type PlacedPayment, paymentStatusOf } from './payments.ts';

/** Where orders go. */
export type Target = 'ready' | 'closed' | 'canceled';

/** A way to pay. */
export interface Method {
  id: string;
  name: string;
  type: 'cash' | 'card' | 'qr';
}

/** A line that will be ordered. */
export interface Line {
  product: Product;
  milli: bigint;
  chosen: { option: Option; count: number }[];
  comment?: string;
}

/** An order that will be sent. */
export interface Draft {
  version: 'v1' | 'v2';
  key: string;
  externalId: string;
  channel?: string;
  takeAway: boolean;
  identifier: string;
  method: Method;
  lines: Line[];
  adjustments: Adjustment[];
  carried: Carried;
}

/** The answer of the creation, as far as the model needs it. */
export interface CreatedOrder {
  id: string;
  number: number;
  created_at: string;
  payment: { id: string };
}

/** A line with the name, the prices, the rate of tax and the category that it was ordered at. */
export interface PlacedLine extends Line {
  /** Its number; undefined for one that was added by an edit, until the service has shown it. */
  id: number | undefined;
  name: string;
  category: Category | undefined;
  /** Of the product alone. */
  productCents: bigint;
  unitCents: bigint;
  cents: bigint;
  /** Ten-thousandths of a percent. */
  taxRate: bigint | undefined;
}

/** What an order comes to: an edit gives it another one. */
export interface Contents {
  lines: PlacedLine[];
  adjustments: AppliedAdjustment[];
  cents: bigint;
  /** The stock that it took, by product or option, in thousandths. */
  taken: Map<Product | Option, bigint>;
}

/** An accepted order: what was sent, what was answered, and every move that was accepted since. */
export interface PlacedOrder extends Omit<CreatedOrder, 'payment'>, Contents {
  draft: Draft;
  /** The number of the caller that placed it. */
  by: number;
  carried: Carried;
  /** Every total that it had, the present one last. */
  totals: bigint[];
  /** The greatest number that the service has shown of a line. */
  lastLine: number;
  /** Edits that changed something. */
  edits: number;
  /** Placed while a turn was open, and in which. */
  turn?: string;
  moves: Target[];
  /** Oldest first. */
  payments: PlacedPayment[];
  cancelReason?: string;
}

/** A line at the prices of now. Amounts are rounded by line, half away from zero. */
export function pricedLine(line: Line, id?: number): PlacedLine {
  const { name, cents, taxRate } = line.product;
  return repriced({
    ...line,
    id,
    name,
    category: firstCategory(line.product),
    productCents: cents,
    taxRate,
    unitCents: 0n,
    cents: 0n,
  });
}

/** A line that was changed, at the price that its product had. */
export function repriced(line: PlacedLine): PlacedLine {
  const chosen = line.chosen.map(({ option, count }) => option.cents * BigInt(count));
  const unitCents = line.productCents + sumOf(chosen);
  return { ...line, unitCents, cents: rounded(line.milli * unitCents, 1_000n) };
}

/** What these lines come to; a line without a number has no discount. Undefined where the adjustments must be refused. */
export function contentsOf(lines: PlacedLine[], given: readonly Adjustment[]): Contents | undefined {
  const totals = new Map(lines.map(({ id, cents }, index) => [id ?? -1 - index, cents]));
  const adjustments = applyAdjustments(given, totals);
  if (adjustments === undefined) return undefined;
  const cents = sumOf([...totals.values(), ...adjustments.map(({ adds }) => adds)]);
  return { lines, adjustments, cents, taken: takenBy({ lines }) };
}

/** What a draft comes to. The first family ignores adjustments. */
export const contentsOfDraft = ({ version, lines, adjustments }: Draft): Contents | undefined =>
  contentsOf(
    lines.map((line, index) => pricedLine(line, index + 1)),
    version === 'v1' ? [] : adjustments,
  );

/** The order that a draft becomes. */
export function placed(
  draft: Draft,
  { payment, ...created }: CreatedOrder,
  { by, turn }: { by: number; turn: string | undefined },
): PlacedOrder {
  const contents = contentsOfDraft(draft);
  if (contents === undefined) throw new Error(`${draft.key} was accepted with its adjustments`);
  const { cents, lines } = contents;
  const { method } = draft;
  return {
    ...created,
    ...contents,
    draft,
    by,
    carried: draft.version === 'v1' ? {} : draft.carried,
    totals: [cents],
    lastLine: lines.length,
    edits: 0,
    moves: [],
    ...(turn !== undefined && { turn }),
    payments: [{ id: payment.id, method, created_at: created.created_at, cents, paid: [], refunds: [] }],
  };
}

/** The stock that a draft takes. */
export function takenBy({ lines }: { lines: readonly Line[] }): Map<Product | Option, bigint> {
  const taken = new Map<Product | Option, bigint>();
  const take = (from: Product | Option, milli: bigint) => {
    if (from.stock?.enabled) taken.set(from, (taken.get(from) ?? 0n) + milli);
  };
  for (const { product, milli, chosen } of lines) {
    take(product, milli);
    for (const { option, count } of chosen) take(option, milli * BigInt(count));
  }
  return taken;
}

function firstCategory({ categories }: Product): Category | undefined {
  const [first] = [...categories].sort((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1));
  return first;
}

/** The body that sends it. */
export function bodyOf({ version, lines, adjustments, ...draft }: Draft): Record<string, unknown> {
  return {
    ...carriedBody(draft.carried),
    ...(adjustments.length > 0 && { adjustments: adjustments.map(adjustmentBody) }),
    external_id: draft.externalId,
    ...(draft.channel !== undefined && { channel: draft.channel }),
    is_take_away: draft.takeAway,
    identifier: draft.identifier,
    payment_method_id: draft.method.id,
    items: lines.map((line) => itemBody(line, version)),
  };
}

/** The body of a line. */
export const itemBody = ({ product, milli, chosen, comment }: Line, version: Draft['version'] = 'v2') => ({
  product_id: product.id,
  ...(version === 'v2' && { external_product_id: product.externalId }),
  quantity: json(milli, 3),
  ...(comment !== undefined && { comment }),
  ...(chosen.length > 0 && { subselections: chosen.map(selectionOf) }),
});

/** The order in full, as it must be now. */
export function expectedOrder(order: PlacedOrder): Record<string, unknown> {
  const { draft } = order;
  const payment = latestPayment(order);
  return {
    id: order.id,
    number: order.number,
    status: statusOf(order),
    total: json(order.cents),
    created_at: order.created_at,
    payment: { id: payment.id, status: paymentStatusOf(order) },
    external_id: draft.externalId,
    ...(draft.channel !== undefined && { channel: draft.channel }),
    is_take_away: draft.takeAway,
    identifier: draft.identifier,
    payment_method_id: payment.method.id,
    ...shownCarried(order.carried),
    ...(order.adjustments.length > 0 && { adjustments: order.adjustments.map(shownAdjustment) }),
    ...(order.cancelReason !== undefined && { cancel_reason: order.cancelReason }),
    items: order.lines.map(({ product, name, milli, unitCents, cents, comment, chosen }) => ({
      product_id: product.id,
      name,
      quantity: json(milli, 3),
      unit_price: json(unitCents),
      total: json(cents),
      ...(comment !== undefined && { comment }),
      ...(chosen.length > 0 && { subselections: chosen.map(selectionOf) }),
    })),
  };
}

/** The same with all that the list shows on request; `order` has the numbers of its lines. */
export function expectedInList(order: PlacedOrder): Record<string, unknown> {
  const { items, ...shown } = expectedOrder(order) as { items: object[] };
  return {
    ...shown,
    ...shownCustomer(order.carried),
    items: items.map((item, index) => ({ line_id: order.lines[index]?.id, ...item })),
    payments: order.payments.map((payment) => expectedPayment(order, payment)),
  };
}

/** Takes over the numbers of lines from an answer. @throws where one is not the known one, or was used before. */
export function adoptLineIds(order: PlacedOrder, shown: readonly { line_id?: number }[]): void {
  let last = order.lastLine;
  for (const [index, line] of order.lines.entries()) {
    const id = shown[index]?.line_id;
    if (id === undefined || (line.id === undefined ? id <= last : id !== line.id))
      throw new Error(
        `line ${index + 1} of order ${order.id} has the number ${id}, not ${line.id} or one above ${last}`,
      );
    line.id = id;
    last = Math.max(last, id);
  }
  order.lastLine = last;
}

/** The body of a choice. */
export const selectionOf = ({ option, count }: Line['chosen'][number]) => ({
  item_id: option.id,
  quantity: count,
});

/** The accepted moves in the only order in which they can have happened. @throws when there is none. */
export function chainOf({ id, moves }: PlacedOrder): Target[] {
  const chain = (['ready', 'closed', 'canceled'] as const).filter((target) => moves.includes(target));
  const legal = ['', 'ready', 'canceled', 'ready,closed', 'ready,canceled'].includes(chain.join());
  if (!legal || chain.length !== moves.length)
    throw new Error(`order ${id} was moved to ${moves.join()}: impossible`);
  return chain;
}

/** Its present status. */
export const statusOf = (order: PlacedOrder): Target | 'pending' => chainOf(order).at(-1) ?? 'pending';
