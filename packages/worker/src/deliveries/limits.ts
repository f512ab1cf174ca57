import { backoffMs, type Clock, isUnavailable, retry } from '@comanda/db';

// What an endpoint may take of this process: attempts at once, as far as the process and the origin have room; deliveries
// claimed ahead, as fast as it answers; one slot while it does not answer in time. And how long its database is waited for.

/** Attempts in flight to one endpoint, while few are in flight altogether. */
export const fullWidth = 20;
/** The part left to an endpoint when very many are served: enough for a fast one, never nothing. */
export const leastWidth = 2;

/** Up to here every endpoint has its full width; at twice as many, the least. */
const roomy = 500;

/** The attempts that this process has in flight, over all endpoints. */
export interface Load {
  inFlight: number;
}

/**
 * How many attempts one endpoint may have in flight while so many are altogether. Hanging endpoints fill the
 * process to a thousand sockets at most, and two for each endpoint beyond: a fast one always finds a slot.
 */
export function widthUnder({ inFlight }: Load): number {
  const crowding = Math.min(1, Math.max(0, inFlight / roomy - 1));
  return Math.round(fullWidth - crowding * (fullWidth - leastWidth));
}

/** Connections to one origin (scheme, host and port) at most. */
export const mostPerOrigin = 512;
/** Of these, what endpoints that do not answer in time may hold together: the others always find a slot. */
export const mostSilent = 384;
/** Up to here every endpoint has its full width there; from `crowdedFrom` on, one slot. */
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

/** Which endpoints do not answer in time, as far as this process has seen. */
export interface Silence {
  /** Whether its last five attempts timed out and none has arrived since: it then has one slot at its origin. */
  isSilent(endpointId: string): boolean;
  /** Notes how an attempt ended. */
  note(endpointId: string, ended: { ok: boolean; timedOut: boolean }): void;
}

/** So many time-outs in a row. */
const enoughTimeouts = 5;
/** Endpoints that are remembered; beyond them the one that was noted first is forgotten, and learned again. */
const mostKnown = 10_000;

/** Starts with none. */
export function createSilence(): Silence {
  const timeouts = new Map<string, number>();
  return {
    isSilent: (endpointId) => (timeouts.get(endpointId) ?? 0) >= enoughTimeouts,
    note(endpointId, { ok, timedOut }) {
      const known = timeouts.get(endpointId) ?? 0;
      if (timedOut) timeouts.set(endpointId, known + 1);
      else if (ok || known < enoughTimeouts) timeouts.delete(endpointId);
      const [first] = timeouts.keys();
      if (timeouts.size > mostKnown && first !== undefined) timeouts.delete(first);
    },
  };
}

/** How fast an endpoint takes what it is sent. */
export interface Pace {
  /** Notes that an attempt ended. */
  count(): void;
  /** How many deliveries to have claimed beyond those that have a slot: what a claim takes to come. */
  ahead(now: number): number;
}

/** Claims reach as far ahead as the endpoint takes in this time, so a slow one has nothing waiting. */
const aheadMs = 25;
const mostAhead = 100;

/** Starts one; `now` is the time on the worker's clock. */
export function createPace(now: number): Pace {
  let ended = 0;
  let since = now;
  let perMs = 0;
  return {
    count() {
      ended += 1;
    },
    ahead(now) {
      const elapsed = now - since;
      if (elapsed >= aheadMs) {
        perMs = ended / elapsed;
        ended = 0;
        since = now;
      }
      return Math.min(mostAhead, Math.floor(perMs * aheadMs));
    },
  };
}

/** How long a database that is away is waited for. */
const patienceMs = 60_000;

/**
 * Does `work`, again and again while the database is away.
 *
 * @throws what `work` throws when the database stays away for a minute, and at once any other error.
 */
export function untilAvailable<Result>(work: () => Promise<Result>, clock: Clock): Promise<Result> {
  const giveUpAt = clock.now() + patienceMs;
  const judge = (error: unknown, failures: number) => {
    if (!isUnavailable(error) || clock.now() > giveUpAt) throw error;
    return backoffMs(failures);
  };
  return retry(work, judge, clock);
}
