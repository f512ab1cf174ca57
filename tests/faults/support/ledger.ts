/** The status of an entry: answered with success, answered with a refusal, or sent without an answer (yet). */
export type EntryState = 'unknown' | 'acknowledged' | 'refused';

/** A move of an order that was asked for. */
export interface MoveEntry {
  to: 'ready' | 'closed' | 'canceled';
  state: EntryState;
}

/** An order as it was sent, and what came of it. `key` is the idempotency key and is in `identifier` too. */
export interface OrderEntry {
  locationId: string;
  key: string;
  externalId: string;
  lines: { productId: string; quantity: number; cents: number }[];
  state: EntryState;
  /** The first answer with success, by `digestOf`. */
  answer?: { id: string; number: number; digest: string };
  moves: MoveEntry[];
}

/** A value that a single writer sets again and again, each higher than the one before. */
export interface RegisterEntry {
  locationId: string;
  kind: 'name' | 'stock';
  productId: string;
  settings: { value: number; state: EntryState }[];
}

/** A products sync job; its items are products named `${key}-0`, `${key}-1` … */
export interface JobEntry {
  locationId: string;
  key: string;
  count: number;
  state: EntryState;
  id?: string;
}

/** The requests and the answers, kept apart from the service and its code. */
export interface Ledger {
  orders: OrderEntry[];
  registers: RegisterEntry[];
  jobs: JobEntry[];
  /** Products made while the shops were opened, by location. */
  products: Map<string, number>;
  /** Calls that stayed without an answer because the connection died. */
  unanswered: number;
  /** Calls that were answered 503. */
  unavailable: number;
  /** Answers of a repeated call that said it had been carried out before. */
  replayed: number;
  /** Answers that must not be: a 500, a refusal of what is legal, a replay that differs. */
  faults: string[];
}

/** An empty ledger. */
export function createLedger(): Ledger {
  return {
    ...{ orders: [], registers: [], jobs: [], products: new Map() },
    ...{ unanswered: 0, unavailable: 0, replayed: 0, faults: [] },
  };
}

/** Entries of every kind in the state. */
export function countEntries({ orders, registers, jobs }: Ledger, state: EntryState): number {
  return [
    ...orders.flatMap((order) => [order, ...order.moves]),
    ...registers.flatMap(({ settings }) => settings),
    ...jobs,
  ].filter((entry) => entry.state === state).length;
}
