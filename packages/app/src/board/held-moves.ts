import type { Move } from './orders.ts';

/** How long a card keeps its place after the last press on the board. */
const keptMs = 1_000;

/** How long a move can be taken back before it is sent. */
const undoMs = 5_000;

/** How long a move that was sent is laid over the board, which shows it by itself a little later. */
const sentMs = 250;

/** Moves that were asked for, by the id of their order. */
type Moves = ReadonlyMap<string, Move>;

/** The moves that the board draws over its known orders. */
export interface Held {
  /** Moves whose card still is where it was pressed. */
  kept: Moves;
  /** Moves that are not sent yet, so that they can be taken back. */
  unsent: Moves;
  /** Moves that were sent just now. */
  sent: Moves;
}

const none: Moves = new Map();

const withMove = (moves: Moves, move: Move): Moves => new Map(moves).set(move.order.id, move);

function without(moves: Moves, id: string): Moves {
  const left = new Map(moves);
  left.delete(id);
  return left;
}

/**
 * Moves between the press and the request. A card keeps its place while a person presses on the board, so that a second
 * press at one place meets no other order; then all cards leave together. A store for `useSyncExternalStore`.
 */
export class HeldMoves {
  #send: (move: Move) => void;
  #held: Held = { kept: none, unsent: none, sent: none };
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #leaving: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  /** `send` makes the request of a move. */
  constructor(send: (move: Move) => void) {
    this.#send = send;
  }

  /** Replaces what makes the requests. */
  sendBy(send: (move: Move) => void): void {
    this.#send = send;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly current = (): Held => this.#held;

  /** Keeps a move for five seconds; one that was confirmed is sent at once. A second press on the same order does nothing. */
  press(move: Move, isConfirmed: boolean): void {
    const { id } = move.order;
    const { kept, unsent, sent } = this.#held;
    if (kept.has(id) || unsent.has(id) || sent.has(id)) return;
    clearTimeout(this.#leaving);
    this.#leaving = setTimeout(() => this.#set({ kept: none }), keptMs);
    this.#set({ kept: withMove(kept, move) });
    if (isConfirmed) this.#send(move);
    else this.#hold(move);
  }

  /** Takes a move back, unless it was sent. */
  undo(id: string): void {
    if (this.#take(id) !== undefined) this.#set({ kept: without(this.#held.kept, id) });
  }

  /** Forgets a move that another person has made: the card goes where it is. */
  drop(id: string): void {
    this.#take(id);
  }

  /** Sends a move that waits. */
  sendNow(id: string): void {
    const move = this.#take(id);
    if (move === undefined) return;
    this.#set({ sent: withMove(this.#held.sent, move) });
    setTimeout(() => this.#set({ sent: without(this.#held.sent, id) }), sentMs);
    this.#send(move);
  }

  /** Sends all that wait. */
  sendAll(): void {
    for (const id of this.#held.unsent.keys()) this.sendNow(id);
  }

  /** Returns all waiting moves to the sender. */
  takeAll(): Move[] {
    return [...this.#held.unsent.keys()].flatMap((id) => this.#take(id) ?? []);
  }

  #hold(move: Move): void {
    const { id } = move.order;
    const timer = setTimeout(() => this.sendNow(id), undoMs);
    this.#timers.set(id, timer);
    this.#set({ unsent: withMove(this.#held.unsent, move) });
  }

  #take(id: string): Move | undefined {
    const move = this.#held.unsent.get(id);
    if (move === undefined) return undefined;
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#set({ unsent: without(this.#held.unsent, id) });
    return move;
  }

  #set(changed: Partial<Held>): void {
    this.#held = { ...this.#held, ...changed };
    for (const listener of this.#listeners) listener();
  }
}
