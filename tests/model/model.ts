import { type Drawer, expectedSettlement } from './books.ts';
import { editCarried } from './carried.ts';
import type { Change } from './edits.ts';
import { createOffer, type Offer, type Option, type Product } from './offer.ts';
import {
  type CreatedOrder,
  chainOf,
  type Draft,
  type Method,
  type PlacedOrder,
  placed,
  statusOf,
  type Target,
} from './orders.ts';
import { latestPayment, type Paid, type PlacedPayment, statusOfPayment } from './payments.ts';
import type { PricePlan } from './plans.ts';

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
  readonly plans: PricePlan[] = [];
  /** The turn that is open. */
  turn: string | undefined;
  /** Turns that are closed, and their settlements. */
  readonly settled = new Map<string, string>();
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
  note(type: string, resource: string, times = 1): void {
    const key = `${type} ${resource}`;
    this.#noted.set(key, (this.#noted.get(key) ?? 0) + times);
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
  place(draft: Draft, created: CreatedOrder, text: string, by: number): PlacedOrder {
    const order = placed(draft, created, { by, turn: this.turn });
    this.orders.push(order);
    this.answers.set(draft.key, text);
    this.#take(order.taken, -1n);
    return order;
  }

  /** An order was moved. */
  move(order: PlacedOrder, to: Target): void {
    order.moves.push(to);
    if (to === 'canceled') this.#take(order.taken, 1n);
  }

  /** An order was edited; what changes nothing counts as none. */
  edit(order: PlacedOrder, { contents, carried, isChange }: Change): void {
    if (!isChange) return;
    order.edits += 1;
    order.carried = editCarried(order.carried, carried);
    if (contents === undefined) return;
    const taken = new Map(contents.taken);
    for (const [from, milli] of order.taken) taken.set(from, (taken.get(from) ?? 0n) - milli);
    this.#take(taken, -1n);
    const payment = latestPayment(order);
    if (payment.paid.length === 0 && payment.cents !== contents.cents) {
      payment.cents = contents.cents;
      this.note('payment.updated', payment.id);
    }
    Object.assign(order, contents);
    order.totals.push(contents.cents);
  }

  /** A payment of an order was completed or rejected. */
  pay(payment: PlacedPayment, how: Paid): void {
    payment.paid.push(how);
    if (how === 'completed' && this.turn !== undefined) payment.turn = this.turn;
  }

  /** Its payment turned out to be rejected before the edit that was made at once with it: it kept its amount. */
  rejectBeforeEdit(order: PlacedOrder, cents: bigint): void {
    const payment = latestPayment(order);
    payment.cents = cents;
    this.note('payment.updated', payment.id, -1);
  }

  /** An order got another payment. */
  addPayment(
    order: PlacedOrder,
    { id, created_at }: { id: string; created_at: string },
    method: Method,
  ): void {
    order.payments.push({ id, method, created_at, cents: order.cents, paid: [], refunds: [] });
  }

  /** Some of a payment was given back. */
  refund(payment: PlacedPayment, cents: bigint, reason: string): void {
    payment.refunds.push({ cents, reason, ...(this.turn !== undefined && { turn: this.turn }) });
  }

  #take(taken: ReadonlyMap<Product | Option, bigint>, sign: 1n | -1n): void {
    for (const [from, milli] of taken) {
      if (milli === 0n) continue;
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
  change(product: Product, fields: { name: string } | { cents: bigint } | { taxRate: bigint }): void {
    Object.assign(product, fields);
    this.note('product.updated', product.id);
    if (product.categories.length > 0) this.catalogChanges += 1;
  }

  /** A turn was opened. It collects what was completed or given back while none was open. */
  open(id: string): void {
    this.turn = id;
    this.note('turn.open', id);
    for (const payment of this.orders.flatMap(({ payments }) => payments)) {
      if (payment.paid[0] === 'completed') payment.turn ??= id;
      for (const refund of payment.refunds) refund.turn ??= id;
    }
  }

  /** The turn was closed, with a settlement. */
  close(settlementId: string, drawer: Drawer): void {
    const id = this.turn ?? '';
    this.settled.set(id, settlementId);
    this.settlements.set(settlementId, expectedSettlement(this.orders, id, drawer));
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
      note('order.created', order.id);
      // A payment that moves by itself, or is added, changes what its order shows.
      const paid = order.payments.reduce((sum, { paid }) => sum + paid.length, order.payments.length - 1);
      note('order.updated', order.id, chain.length + paid + order.edits);
      for (const [index, to] of chain.entries())
        note('order.status_changed', `${order.id} ${chain[index - 1] ?? 'pending'}>${to}`);
      if (statusOf(order) === 'canceled') note('order.cancelled', order.id);
      if (statusOf(order) === 'closed') note('order.completed', order.id);
      for (const payment of order.payments) {
        const status = statusOfPayment(order, payment);
        note('payment.created', payment.id);
        note('payment.updated', payment.id, payment.refunds.length);
        if (status !== 'pending') for (const type of ['updated', status]) note(`payment.${type}`, payment.id);
      }
    }
    return events;
  }
}
