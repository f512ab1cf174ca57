import { bounds, type CountBounds, noSlot } from './bounds.ts';

/** The response that answers of a request go out with. */
export interface Reply {
  /** Bytes of its answers that are counted until then. */
  held: number;
  /** Calls `done` once all is sent or the caller is gone; false when that is so already. */
  whenClosed(done: () => void): boolean;
}

/** Shorter texts wait in the buffers of their connections, whose number is bounded. */
const leastLength = 64 * 1024;

/** Bounds the bytes of answers that are made and not yet taken by their callers. */
export class AnswerBytes {
  readonly #bounds: CountBounds;
  readonly #locations = new Map<string, number>();
  #all = 0;

  /** Creates a count of nothing. */
  constructor(most: CountBounds) {
    this.#bounds = most;
  }

  /**
   * Throws 503 with `Retry-After` while other answers of the location, or of all, have reached the bound. A request that
   * waits for none but its own answers goes on, however large they are.
   */
  ask(locationId: string, reply: Reply | undefined): void {
    if (this.#all === 0) return;
    const own = reply?.held ?? 0;
    const ofLocation = this.#locations.get(locationId) ?? 0;
    if (ofLocation - own >= this.#bounds.location) throw noSlot('location_busy');
    if (this.#all - own >= this.#bounds.all) throw noSlot();
  }

  /** Counts the bytes of an answer, `weight` times, until its response is closed. */
  hold(locationId: string, reply: Reply | undefined, text: string, weight: number): void {
    if (reply === undefined || text.length < leastLength) return;
    const bytes = weight * Buffer.byteLength(text);
    if (reply.held === 0) {
      const isOpen = reply.whenClosed(() => {
        this.#change(locationId, -reply.held);
        reply.held = 0;
      });
      if (!isOpen) return;
    }
    reply.held += bytes;
    this.#change(locationId, bytes);
  }

  #change(locationId: string, bytes: number): void {
    const now = (this.#locations.get(locationId) ?? 0) + bytes;
    if (now > 0) this.#locations.set(locationId, now);
    else this.#locations.delete(locationId);
    this.#all += bytes;
  }
}

/** The right to hold the bytes of one body. */
export interface BodySlot {
  /** Throws 503 with `Retry-After` where so many bytes would be too many for the location or the process. */
  ask(bytes: number): void;
  /** The same, and takes them: bytes that have arrived. */
  add(bytes: number): void;
  /** Lets go of them: the call is done. May be called again. */
  end(): void;
}

/** Bytes under way, and bytes that the location has begun with and not yet had time for, as of `at`. */
interface Held {
  bytes: number;
  spent: number;
  at: number;
}

/** More locations than these are looked through for those that send nothing. */
const mostLocations = 10_000;

/** Bounds the bytes of the bodies that a process holds, and that a location sends in a while. */
export class BodyBytes {
  readonly #locations = new Map<string, Held>();
  #all = 0;

  /** Begins a request of the location. */
  begin(locationId: string): BodySlot {
    let own = 0;
    return {
      ask: (bytes) => void this.#ask(locationId, bytes),
      add: (bytes) => {
        const held = this.#ask(locationId, bytes);
        own += bytes;
        this.#all += bytes;
        held.bytes += bytes;
        held.spent += bytes;
      },
      end: () => {
        const held = this.#locations.get(locationId);
        if (held !== undefined) held.bytes -= own;
        this.#all -= own;
        own = 0;
      },
    };
  }

  #ask(locationId: string, bytes: number): Held {
    const { all, location, burst } = bounds.bodies;
    const held = this.#heldOf(locationId);
    if (held.bytes + bytes > location || held.spent + bytes > burst) throw noSlot('location_busy');
    if (this.#all + bytes > all) throw noSlot();
    return held;
  }

  #heldOf(locationId: string): Held {
    const known = this.#locations.get(locationId);
    if (known !== undefined) return refilled(known);
    if (this.#locations.size >= mostLocations)
      for (const [id, held] of this.#locations)
        if (held.bytes === 0 && refilled(held).spent === 0) this.#locations.delete(id);
    const held = { bytes: 0, spent: 0, at: performance.now() };
    this.#locations.set(locationId, held);
    return held;
  }
}

function refilled(held: Held): Held {
  const now = performance.now();
  held.spent = Math.max(0, held.spent - ((now - held.at) / 1_000) * bounds.bodies.perSecond);
  held.at = now;
  return held;
}
