import { fullWidth } from './width.ts';

/** Connections to one origin (scheme, host and port) at most. */
export const mostPerOrigin = 512;
/** Of these, what endpoints that do not answer in time may hold together: the others always find a slot. */
export const mostSilent = 384;
/** Up to here every endpoint has its full width; from `crowdedFrom` on, one slot. */
const roomyUpTo = 256;
const crowdedFrom = 384;

/** One endpoint that sends to an origin. */
export interface Holder {
  /** The bytes that it holds there. */
  inFlight: number;
  /** Whether it does not answer in time: then it has one slot. */
  isSilent(): boolean;
  /** Called when a slot is free after it found none. */
  wake(): void;
}

/** Shares the connections to each origin among the endpoints there. */
export interface Slots {
  /** How many more attempts it may start there now. One that has none and finds none is woken for the next. */
  room(origin: string, holder: Holder): number;
  /** Takes a slot, and returns what gives it back. */
  take(origin: string, holder: Holder): () => void;
  /** It waits for none any more. */
  forget(origin: string, holder: Holder): void;
}

interface Origin {
  inUse: number;
  /** Of these, by endpoints that were silent when they took them. */
  silent: number;
  waiting: Set<Holder>;
}

/** Starts with every slot free. */
export function createSlots(): Slots {
  const origins = new Map<string, Origin>();
  const at = (name: string): Origin => {
    const known = origins.get(name);
    if (known !== undefined) return known;
    const made = { inUse: 0, silent: 0, waiting: new Set<Holder>() };
    origins.set(name, made);
    return made;
  };
  const dropUnused = (name: string, { inUse, waiting }: Origin) => {
    if (inUse === 0 && waiting.size === 0) origins.delete(name);
  };
  return {
    room(name, holder) {
      const origin = at(name);
      const room = roomOf(origin, holder);
      if (room === 0 && holder.inFlight === 0) origin.waiting.add(holder);
      dropUnused(name, origin);
      return room;
    },
    take(name, holder) {
      const origin = at(name);
      const silent = holder.isSilent() ? 1 : 0;
      origin.waiting.delete(holder);
      origin.inUse += 1;
      origin.silent += silent;
      holder.inFlight += 1;
      return () => {
        origin.inUse -= 1;
        origin.silent -= silent;
        holder.inFlight -= 1;
        wakeNext(origin);
        dropUnused(name, origin);
      };
    },
    forget(name, holder) {
      const origin = at(name);
      origin.waiting.delete(holder);
      dropUnused(name, origin);
    },
  };
}

/** How many slots an endpoint may hold at an origin where so many are in use: fewer as it fills, and always one. */
export function widthAt(inUse: number): number {
  const crowding = Math.min(1, Math.max(0, (inUse - roomyUpTo) / (crowdedFrom - roomyUpTo)));
  return Math.round(fullWidth - crowding * (fullWidth - 1));
}

function roomOf({ inUse, silent }: Origin, holder: Holder): number {
  const isSilent = holder.isSilent();
  const free = isSilent ? Math.min(mostSilent - silent, mostPerOrigin - inUse) : mostPerOrigin - inUse;
  const width = isSilent ? 1 : widthAt(inUse);
  return Math.max(0, Math.min(width - holder.inFlight, free));
}

// Those that answer before those that do not; among these, in the order in which they came.
function wakeNext(origin: Origin): void {
  const waiting = [...origin.waiting].filter((holder) => roomOf(origin, holder) > 0);
  const next = waiting.find((holder) => !holder.isSilent()) ?? waiting[0];
  if (next === undefined) return;
  origin.waiting.delete(next);
  next.wake();
}
