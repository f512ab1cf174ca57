import { json } from '../../support/money.ts';
import type { OfferedCategory, OfferedItem, OfferedProduct } from './offer.ts';

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
  product: OfferedProduct;
  milli: bigint;
  choices: { item: OfferedItem; count: number }[];
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

/** The answer of the creation, as far as the tally needs it. */
export interface CreatedOrder {
  id: string;
  number: number;
  created_at: string;
  payment: { id: string };
}

/** A line with the name, the prices and the category that it was ordered at. */
export interface TalliedLine extends Line {
  name: string;
  category: OfferedCategory | undefined;
  unitCents: bigint;
  cents: bigint;
}

/** An accepted order: what was sent, what was answered, and every move that was accepted since. */
export interface TalliedOrder extends CreatedOrder {
  draft: Draft;
  lines: TalliedLine[];
  cents: bigint;
  inTurn: boolean;
  moves: Target[];
  paid: ('completed' | 'rejected')[];
  cancelReason?: string;
  /** The stock that it took, by product or option, in thousandths. */
  taken: Map<OfferedProduct | OfferedItem, bigint>;
}

/**
 * The books of the day, kept apart from the service: only from what was sent and which answers came, in whole
 * numbers. Stock is kept in the offer.
 */
export class Tally {
  readonly orders: TalliedOrder[] = [];
  /** Changes of the stock records of products, each of which is an event. */
  stockEvents = 0;

  place(draft: Draft, created: CreatedOrder, inTurn: boolean): TalliedOrder {
    const lines = draft.lines.map((line): TalliedLine => {
      const chosen = line.choices.reduce((sum, { item, count }) => sum + item.cents * BigInt(count), 0n);
      const unitCents = line.product.cents + chosen;
      // Thousandths of a cent, half away from zero.
      const cents = (line.milli * unitCents * 2n + 1_000n) / 2_000n;
      return { ...line, name: line.product.name, category: firstCategory(line.product), unitCents, cents };
    });
    const taken = new Map<OfferedProduct | OfferedItem, bigint>();
    const take = (from: OfferedProduct | OfferedItem, milli: bigint) => {
      if (from.stock?.enabled) taken.set(from, (taken.get(from) ?? 0n) + milli);
    };
    for (const { product, milli, choices } of lines) {
      take(product, milli);
      for (const { item, count } of choices) take(item, milli * BigInt(count));
    }
    const order: TalliedOrder = {
      ...created,
      ...{ draft, lines, inTurn, taken, moves: [], paid: [] },
      cents: lines.reduce((sum, { cents }) => sum + cents, 0n),
    };
    this.orders.push(order);
    this.#count(order, -1n);
    return order;
  }

  moved(order: TalliedOrder, to: Target): void {
    order.moves.push(to);
    if (to === 'canceled') this.#count(order, 1n);
  }

  #count({ taken }: TalliedOrder, sign: 1n | -1n): void {
    for (const [from, milli] of taken) {
      if (from.stock) from.stock.milli += sign * milli;
      if ('categories' in from) this.stockEvents += 1;
    }
  }
}

function firstCategory({ categories }: OfferedProduct): OfferedCategory | undefined {
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
    items: lines.map(({ product, milli, choices, comment }) => ({
      product_id: product.id,
      ...(version === 'v2' && { external_product_id: product.externalId }),
      quantity: json(milli, 3),
      ...(comment !== undefined && { comment }),
      ...(choices.length > 0 && { subselections: choices.map(selectionOf) }),
    })),
  };
}

/** The order in full, as it must be now. */
export function expectedOrder(order: TalliedOrder): Record<string, unknown> {
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
    items: order.lines.map(({ product, name, milli, unitCents, cents, comment, choices }) => ({
      ...{ product_id: product.id, name, quantity: json(milli, 3) },
      ...{ unit_price: json(unitCents), total: json(cents) },
      ...(comment !== undefined && { comment }),
      ...(choices.length > 0 && { subselections: choices.map(selectionOf) }),
    })),
  };
}

const selectionOf = ({ item, count }: Line['choices'][number]) => ({ item_id: item.id, quantity: count });

/** The accepted moves in the only order in which they can have happened. Throws when there is none. */
export function chainOf({ id, moves }: TalliedOrder): Target[] {
  const chain = (['ready', 'closed', 'canceled'] as const).filter((target) => moves.includes(target));
  const legal = ['', 'ready', 'canceled', 'ready,closed', 'ready,canceled'].includes(chain.join());
  if (!legal || chain.length !== moves.length)
    throw new Error(`order ${id} was moved to ${moves.join()}: impossible`);
  return chain;
}

/** Its present status. */
export const statusOf = (order: TalliedOrder): Target | 'pending' => chainOf(order).at(-1) ?? 'pending';

/** The status of its payment: a cancellation rejects one that is pending. */
export function paymentStatusOf(order: TalliedOrder): 'pending' | 'completed' | 'rejected' {
  const { id, paid } = order;
  const [status, second] = paid;
  if (second !== undefined)
    throw new Error(`the payment of order ${id} was ${paid.join(' and ')}: impossible`);
  return status ?? (statusOf(order) === 'canceled' ? 'rejected' : 'pending');
}
