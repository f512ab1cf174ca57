import { ApiError, conflict, type FieldFault, invalid } from '../../errors.ts';
import { areSame } from '../../texts.ts';
import { adjust } from './adjustments.rules.ts';
import { decimalText, divideRounded, scaled } from './decimals.rules.ts';
import type {
  KnownProduct,
  OrderFacts,
  OrderRequest,
  PricedLine,
  PricedOrder,
  Wanted,
} from './facts.rules.ts';
import type { OrderStatus } from './schema.ts';
import { selectionFaults } from './selections.rules.ts';

/** The next statuses of an order from each status. Specification: Order status. Postgres holds the same table. */
export const orderMoves = {
  pending: ['ready', 'canceled'],
  ready: ['closed', 'canceled'],
  closed: [],
  canceled: [],
} as const satisfies Record<OrderStatus, readonly OrderStatus[]>;

/** The refusal of a move that is not in the table: `conflict`, saying what is allowed. */
export function moveRefused(from: OrderStatus, to: OrderStatus): ApiError {
  const allowed = orderMoves[from].join(' or ');
  const rule = allowed === '' ? `${from} is final` : `from ${from} it may move to ${allowed}`;
  return conflict('illegal_move', `The order cannot move from ${from} to ${to}: ${rule}.`);
}

/** The refusal of an `external_id` that another order has: `conflict`, naming that order. */
export const externalIdTaken = (externalId: string, orderId: string): ApiError =>
  conflict('external_id_taken', `external_id ${JSON.stringify(externalId)} is taken by order ${orderId}.`, {
    collection: 'orders',
    id: orderId,
  });

/** The refusal of an order while the location is paused: `conflict`, with `Retry-After` where the pause has an end. */
export function locationPaused(until: string | null, seconds: number | null): ApiError {
  const end = until === null ? '' : ` until ${until}`;
  return new ApiError('location_paused', `The location is paused${end}: it takes no orders.`, {
    headers: seconds === null ? {} : { 'Retry-After': String(seconds) },
  });
}

/** The largest amount, in cents: 9,999,999,999.99. */
export const largest = 999_999_999_999n;

/** The result of `decideOrder`, for an order that may be made. Throws `validation_error` naming every failing field. */
export function priceOrder(request: OrderRequest, facts: OrderFacts): PricedOrder {
  const { order, faults } = decideOrder(request, facts);
  if (faults.length > 0) throw invalid(faults);
  return order;
}

/**
 * Decides a new order: every rule of the contract's section on orders, in exact decimal arithmetic. `faults` are all
 * reasons against it; lines of unknown products are left out of `order`.
 */
export function decideOrder(
  request: OrderRequest,
  facts: OrderFacts,
): { order: PricedOrder; faults: FieldFault[] } {
  const { adjustments = [] } = request;
  const wanted = { products: new Stack(), choices: new Stack() };
  const faults: FieldFault[] = [];
  const lines: PricedLine[] = [];
  const totals = new Map<number, bigint | undefined>();
  let subtotal = 0n;
  for (const [index, item] of request.items.entries()) {
    const priced = priceLine(item, facts, `items[${index}]`, wanted, faults);
    totals.set(index + 1, priced?.cents);
    if (priced === undefined) continue;
    lines.push(priced.line);
    subtotal += priced.cents;
  }
  const adjusted = adjustments.length === 0 ? undefined : adjust(adjustments, totals);
  const total = subtotal + (adjusted?.sum ?? 0n);
  if (subtotal > largest || total > largest) faults.push(totalTooLarge);
  const [products, choices] = [wanted.products.all(), wanted.choices.all()];
  return {
    order: {
      subtotal: decimalText(subtotal, 2),
      total: decimalText(total < 0n ? 0n : total, 2),
      ...(adjusted && { adjustments: adjusted.applied }),
      lines,
      products,
      choices,
    },
    faults: [
      ...faults,
      ...(adjusted?.faults ?? []),
      ...paymentMethodFaults(facts),
      ...shortages(products, (id) => facts.products.get(id)?.left),
      ...shortages(choices, (id) => facts.choices.get(id)?.left),
    ],
  };
}

/** The refusal of an order whose lines or whose total are above the largest amount. */
export const totalTooLarge: FieldFault = {
  path: 'items',
  message: `the total is more than ${decimalText(largest, 2)}`,
};

/** Prices a line as of now, and adds what it wants and what is wrong with it to the others'. Undefined where its product is unknown. */
export function priceLine(
  item: OrderRequest['items'][number],
  facts: OrderFacts,
  path: string,
  wanted: { products: Stack; choices: Stack },
  faults: FieldFault[],
): { line: PricedLine; cents: bigint } | undefined {
  const product = facts.products.get(item.product_id);
  if (product === undefined) {
    faults.push({ path: `${path}.product_id`, message: 'unknown product', reason: 'unknown_product' });
    return undefined;
  }
  const quantity = scaled(item.quantity, 3);
  wanted.products.want(item.product_id, product.version, { path: `${path}.quantity`, quantity });
  const chosen = priceSelections(item, facts);
  for (const { position, version, selection } of chosen.entries) {
    const each = quantity * BigInt(selection.quantity);
    const use = { path: `${path}.subselections[${position}].quantity`, quantity: each };
    wanted.choices.want(selection.item_id, version, use);
  }
  const unit = scaled(product.price, 2) + chosen.price;
  for (const found of [productFaults(item, product, path), selectionFaults(item, facts, path)])
    for (const fault of found) faults.push(fault);
  for (const fault of unitFaults(unit, path)) faults.push(fault);
  const cents = divideRounded(quantity * unit, 1_000n);
  const line = {
    product_id: item.product_id,
    name: product.name,
    unit_price: decimalText(unit, 2),
    quantity: decimalText(quantity, 3),
    total: decimalText(cents, 2),
    ...(item.comment !== undefined && { comment: item.comment }),
    selections: chosen.entries.map(({ selection }) => selection),
  };
  return { line, cents };
}

/** The fault of a price of one that is above the largest amount. */
export const unitFaults = (unit: bigint, path: string): FieldFault[] =>
  unit > largest ? [{ path, message: `the price of one is more than ${decimalText(largest, 2)}` }] : [];

/**
 * The lines that want more than is left: of each product or item the line at which it runs out. `left` returns
 * undefined for products that are not counted.
 */
export function shortages(wanted: readonly Wanted[], left: (id: string) => string | undefined): FieldFault[] {
  return wanted.flatMap(({ id, uses }) => {
    const there = left(id);
    if (there === undefined) return [];
    let rest = scaled(there, 3);
    const short = uses.find(({ quantity }) => {
      rest -= quantity;
      return rest < 0n;
    });
    const message = `insufficient stock, only ${decimalText(scaled(there, 3), 3)} left`;
    return short === undefined ? [] : [{ path: short.path, message, reason: 'out_of_stock' }];
  });
}

/** The same facts, as if nothing counted were left: for a caller that wants to see that refusal. */
export const soldOut = (facts: OrderFacts): OrderFacts => ({
  ...facts,
  products: new Map([...facts.products].map(([id, product]) => [id, { ...product, left: '0' }])),
});

function productFaults(
  { external_product_id: named }: OrderRequest['items'][number],
  { externalId }: KnownProduct,
  path: string,
): FieldFault[] {
  if (named === undefined || externalId === undefined || areSame(named, externalId)) return [];
  const message = `contradicts the product's external_id ${JSON.stringify(externalId)}`;
  return [{ path: `${path}.external_product_id`, message }];
}

/** What is wrong with the payment method of a request. */
export function paymentMethodFaults({
  paymentMethodEnabled,
}: Pick<OrderFacts, 'paymentMethodEnabled'>): FieldFault[] {
  if (paymentMethodEnabled === true) return [];
  const message = paymentMethodEnabled === undefined ? 'unknown payment method' : 'is disabled';
  return [{ path: 'payment_method_id', message, reason: 'payment_method_unusable' }];
}

function priceSelections({ subselections = [] }: OrderRequest['items'][number], facts: OrderFacts) {
  let price = 0n;
  const entries = subselections.flatMap(({ item_id, quantity }, position) => {
    const choice = facts.choices.get(item_id);
    if (choice === undefined) return [];
    const { name, version } = choice;
    price += scaled(choice.price, 2) * BigInt(quantity);
    return [{ position, version, selection: { item_id, quantity, name, price: Number(choice.price) } }];
  });
  return { price, entries };
}

/** Adds up what lines want of each product or item. */
export class Stack {
  readonly #wanted = new Map<string, Wanted>();

  /** Adds a use of one. */
  want(id: string, version: string, use: Wanted['uses'][number]): void {
    const known = this.#wanted.get(id);
    if (known === undefined) this.#wanted.set(id, { id, version, quantity: use.quantity, uses: [use] });
    else {
      known.quantity += use.quantity;
      known.uses.push(use);
    }
  }

  /** All that is wanted, in the order in which it was named first. */
  all(): Wanted[] {
    return [...this.#wanted.values()];
  }
}
