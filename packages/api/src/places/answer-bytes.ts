import { noPlace } from './no-place.ts';

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

const MiB = 1024 ** 2;
/** Shorter texts wait in the buffers of their connections, whose number is bounded. */
const leastLength = 64 * 1024;

/** The bounds of a process whose heap may have so many bytes: of all locations, and of one. */
export function mostAnswerBytes(heapBytes: number): { all: number; location: number } {
  const all = Math.min(512 * MiB, Math.max(32 * MiB, heapBytes / 4));
  return { all, location: all / 2 };
}

/** Counts bytes, from nothing. */
export function createAnswerBytes(most: { all: number; location: number }): AnswerBytes {
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
      if ((locations.get(locationId) ?? 0) - own >= most.location) throw noPlace('location_busy');
      if (all - own >= most.all) throw noPlace();
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
