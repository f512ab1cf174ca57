import { expectedSettlement } from './books.ts';
import { createOffer, type Offer, type Product } from './offer.ts';
import {
  type CreatedOrder,
  chainOf,
  type Draft,
  type Method,
  type PlacedOrder,
  paymentStatusOf,
  placed,
  statusOf,
  type Target,
} from './orders.ts';

/**
 * A restaurant in memory: what it sells, what was ordered, and what must be published. It learns only from what was sent and which
 * answers came, and shares no code with the service.
 */
export class Model {
  readonly offer: Offer;
  readonly orders: PlacedOrder[] = [];
  /** The first answer to the creation of each order, by idempotency key. */
  readonly answers = new Map<string, string>();
  methods: Method[] = [];
  /** Sync jobs, each of so many products named `${name}-0`, `${name}-1` … */
  readonly jobs: { id: string; name: string; count: number }[] = [];
  /** The turn that is open. */
  turn: string | undefined;
  /** By its id, what each settlement must show: as it was when its turn was closed. */
  readonly settlements = new Map<string, ReturnType<typeof expectedSettlement>>();
  /** What was published for other reasons than orders, by `type resource`. */
  readonly #noted = new Map<string, number>();
  /** Changes that the catalog shows: transactions may share a version of it. */
  catalogChanges = 0;

  constructor(callers: number) {
    this.offer = createOffer(callers);
  }

  /** Notes that an event must be published. */
  note(type: string, resource: string): void {
    const key = `${type} ${resource}`;
    this.#noted.set(key, (this.#noted.get(key) ?? 0) + 1);
  }

  /** The whole offer was sent to an empty location, and has its ids. */
  offered(): void {
    for (const { id, stock } of this.offer.products) {
      this.note('product.created', id);
      if (stock !== undefined) this.note('stock.updated', id);
    }
    this.catalogChanges += 1;
  }

  /** An order was accepted. */
  place(draft: Draft, created: CreatedOrder, text: string): PlacedOrder {
    const order = placed(draft, created, this.turn);
    this.orders.push(order);
    this.answers.set(draft.key, text);
    this.#take(order, -1n);
    return order;
  }

  /** An order was moved. */
  move(order: PlacedOrder, to: Target): void {
    order.moves.push(to);
    if (to === 'canceled') this.#take(order, 1n);
  }

  #take({ taken }: PlacedOrder, sign: 1n | -1n): void {
    for (const [from, milli] of taken) {
      if (from.stock) from.stock.milli += sign * milli;
      if ('categories' in from) this.note('stock.updated', from.id);
    }
  }

  /** The stock of a product was set; nothing is published where it was so before. */
  setStock(product: Product, milli: bigint): void {
    if (product.stock === undefined || product.stock.milli === milli) return;
    product.stock.milli = milli;
    this.note('stock.updated', product.id);
  }

  /** A product was changed. */
  change(product: Product, fields: { name: string } | { cents: bigint }): void {
    Object.assign(product, fields);
    this.note('product.updated', product.id);
    if (product.categories.length > 0) this.catalogChanges += 1;
  }

  /** A turn was opened. */
  open(id: string): void {
    this.turn = id;
    this.note('turn.open', id);
  }

  /** The turn was closed, with a settlement. */
  close(settlementId: string): void {
    const id = this.turn ?? '';
    this.settlements.set(settlementId, expectedSettlement(this.orders, id));
    this.turn = undefined;
    this.note('turn.updated', id);
    this.note('turn.closed', id);
    this.note('settlement.created', settlementId);
  }

  /** Every event that must be published and how often, by `type resource`; a change of status with its statuses. */
  events(): Map<string, number> {
    const events = new Map(this.#noted);
    const note = (type: string, resource: string, times = 1) => {
      const key = `${type} ${resource}`;
      if (times > 0) events.set(key, (events.get(key) ?? 0) + times);
    };
    for (const { id } of this.jobs) note('sync.completed', id);
    for (const order of this.orders) {
      const chain = chainOf(order);
      const paid = paymentStatusOf(order);
      note('order.created', order.id);
      // A payment that moves by itself changes what its order shows.
      note('order.updated', order.id, chain.length + order.paid.length);
      for (const [index, to] of chain.entries())
        note('order.status_changed', `${order.id} ${chain[index - 1] ?? 'pending'}>${to}`);
      if (statusOf(order) === 'canceled') note('order.cancelled', order.id);
      if (statusOf(order) === 'closed') note('order.completed', order.id);
      note('payment.created', order.payment.id);
      if (paid !== 'pending') for (const type of ['updated', paid]) note(`payment.${type}`, order.payment.id);
    }
    return events;
  }
}
