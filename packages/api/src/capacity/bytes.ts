import { bounds, type CountBounds, noSlot } from './bounds.ts';

/** The response that answers of a request go out with. */
export interface Reply {
  /** Bytes of its answers that are counted until then. */
  held: number;
  /** Calls `done` once all is sent or the caller is gone; false when that is so already. */
  whenClosed(done: () => void): boolean;
}

/** Bounds the bytes of answers that are made and not yet taken by their callers. */
export interface AnswerBytes {
  /** Throws 503 with `Retry-After` while other answers of the location, or of all, have reached the bound. */
  ask(locationId: string, reply: Reply | undefined): void;
  /** Counts the bytes of an answer, `weight` times, until its response is closed. */
  hold(locationId: string, reply: Reply | undefined, text: string, weight: number): void;
}

/** Shorter texts wait in the buffers of their connections, whose number is bounded. */
const leastLength = 64 * 1024;

/** Counts bytes of answers, from nothing. */
export function createAnswerBytes(most: CountBounds): AnswerBytes {
  const locations = new Map<string, number>();
  let all = 0;

  function change(locationId: string, bytes: number): void {
    const now = (locations.get(locationId) ?? 0) + bytes;
    if (now > 0) locations.set(locationId, now);
    else locations.delete(locationId);
    all += bytes;
  }
  return {
    // A request that waits for none but its own answers goes on, however large they are.
    ask(locationId, reply) {
      if (all === 0) return;
      const own = reply?.held ?? 0;
      if ((locations.get(locationId) ?? 0) - own >= most.location) throw noSlot('location_busy');
      if (all - own >= most.all) throw noSlot();
    },
    hold(locationId, reply, text, weight) {
      if (reply === undefined || text.length < leastLength) return;
      const bytes = weight * Buffer.byteLength(text);
      if (reply.held === 0) {
        const isOpen = reply.whenClosed(() => {
          change(locationId, -reply.held);
          reply.held = 0;
        });
        if (!isOpen) return;
      }
      reply.held += bytes;
      change(locationId, bytes);
    },
  };
}

/** Bounds the bytes of the bodies that a process holds, and that a location sends in a while. */
export interface BodyBytes {
  /** Begins a request of the location; give it back with `end`. */
  begin(locationId: string): BodySlot;
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

/** Bytes under way, and bytes that the location has begun with and not yet had time for. */
interface Held {
  bytes: number;
  spent: number;
  /** When `spent` was so much. */
  at: number;
}

/** More locations than these are looked through for those that send nothing. */
const mostLocations = 10_000;

/** Counts bytes of bodies, from nothing. */
export function createBodyBytes(most = bounds.bodies): BodyBytes {
  const locations = new Map<string, Held>();
  let all = 0;

  function heldOf(locationId: string): Held {
    const known = locations.get(locationId);
    if (known !== undefined) return refilled(known);
    if (locations.size >= mostLocations)
      for (const [id, held] of locations) {
        refilled(held);
        if (held.bytes === 0 && held.spent === 0) locations.delete(id);
      }
    const held = { bytes: 0, spent: 0, at: performance.now() };
    locations.set(locationId, held);
    return held;
  }

  function refilled(held: Held): Held {
    const now = performance.now();
    held.spent = Math.max(0, held.spent - ((now - held.at) / 1_000) * most.perSecond);
    held.at = now;
    return held;
  }

  return {
    begin(locationId) {
      let own = 0;
      const ask = (bytes: number): Held => {
        const held = heldOf(locationId);
        if (held.bytes + bytes > most.location || held.spent + bytes > most.burst)
          throw noSlot('location_busy');
        if (all + bytes > most.all) throw noSlot();
        return held;
      };
      return {
        ask: (bytes) => void ask(bytes),
        add(bytes) {
          const held = ask(bytes);
          own += bytes;
          all += bytes;
          held.bytes += bytes;
          held.spent += bytes;
        },
        end() {
          const held = locations.get(locationId);
          if (held !== undefined) held.bytes -= own;
          all -= own;
          own = 0;
        },
      };
    },
  };
}
