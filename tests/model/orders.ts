import { json } from '../support/money.ts';
import type { Category, Option, Product } from './offer.ts';

/** Where orders go. */
export type Target = 'ready' | 'closed' | 'canceled';
/** What becomes of a payment. */
export type Paid = 'completed' | 'rejected';

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
}

/** The answer of the creation, as far as the model needs it. */
export interface CreatedOrder {
  id: string;
  number: number;
  created_at: string;
  payment: { id: string };
}

/** A line with the name, the prices and the category that it was ordered at. */
export interface PlacedLine extends Line {
  name: string;
  category: Category | undefined;
  unitCents: bigint;
  cents: bigint;
}

/** An accepted order: what was sent, what was answered, and every move that was accepted since. */
export interface PlacedOrder extends CreatedOrder {
  draft: Draft;
  lines: PlacedLine[];
  cents: bigint;
  /** Placed while a turn was open, and in which. */
  turn?: string;
  moves: Target[];
  paid: Paid[];
  cancelReason?: string;
  /** The stock that it took, by product or option, in thousandths. */
  taken: Map<Product | Option, bigint>;
}

/** The order that a draft becomes. Amounts are rounded by line, half away from zero. */
export function placed(draft: Draft, created: CreatedOrder, turn: string | undefined): PlacedOrder {
  const lines = draft.lines.map((line): PlacedLine => {
    const chosen = line.chosen.reduce((sum, { option, count }) => sum + option.cents * BigInt(count), 0n);
    const unitCents = line.product.cents + chosen;
    const cents = (line.milli * unitCents * 2n + 1_000n) / 2_000n;
    return { ...line, name: line.product.name, category: firstCategory(line.product), unitCents, cents };
  });
  return {
    ...created,
    ...{ draft, lines, taken: takenBy(draft), moves: [], paid: [] },
    ...(turn !== undefined && { turn }),
    cents: lines.reduce((sum, { cents }) => sum + cents, 0n),
  };
}

/** The stock that a draft takes. */
export function takenBy({ lines }: Draft): Map<Product | Option, bigint> {
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
export function bodyOf({ version, lines, ...draft }: Draft): Record<string, unknown> {
  return {
    external_id: draft.externalId,
    ...(draft.channel !== undefined && { channel: draft.channel }),
    is_take_away: draft.takeAway,
    identifier: draft.identifier,
    payment_method_id: draft.method.id,
    items: lines.map(({ product, milli, chosen, comment }) => ({
      product_id: product.id,
      ...(version === 'v2' && { external_product_id: product.externalId }),
      quantity: json(milli, 3),
      ...(comment !== undefined && { comment }),
      ...(chosen.length > 0 && { subselections: chosen.map(selectionOf) }),
    })),
  };
}

/** The order in full, as it must be now. */
export function expectedOrder(order: PlacedOrder): Record<string, unknown> {
  const { draft } = order;
  return {
    ...{ id: order.id, number: order.number, status: statusOf(order), total: json(order.cents) },
    ...{ created_at: order.created_at, payment: { id: order.payment.id, status: paymentStatusOf(order) } },
    external_id: draft.externalId,
    ...(draft.channel !== undefined && { channel: draft.channel }),
    is_take_away: draft.takeAway,
    identifier: draft.identifier,
    payment_method_id: draft.method.id,
    ...(order.cancelReason !== undefined && { cancel_reason: order.cancelReason }),
    items: order.lines.map(({ product, name, milli, unitCents, cents, comment, chosen }) => ({
      ...{ product_id: product.id, name, quantity: json(milli, 3) },
      ...{ unit_price: json(unitCents), total: json(cents) },
      ...(comment !== undefined && { comment }),
      ...(chosen.length > 0 && { subselections: chosen.map(selectionOf) }),
    })),
  };
}

const selectionOf = ({ option, count }: Line['chosen'][number]) => ({ item_id: option.id, quantity: count });

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

/** The status of its payment: a cancellation rejects one that is pending. */
export function paymentStatusOf(order: PlacedOrder): Paid | 'pending' {
  const [status, second] = order.paid;
  if (second !== undefined)
    throw new Error(`the payment of order ${order.id} was ${order.paid.join(' and ')}: impossible`);
  return status ?? (statusOf(order) === 'canceled' ? 'rejected' : 'pending');
}
