import type { PublishedEvent } from '../surface.ts';
import type { LiveChange } from './change.ts';
import { createKnown } from './known.ts';
import { createReader, type Page } from './reading.ts';
import type { Item, LiveRow } from './rows.ts';
import type { Stream } from './stream.ts';
import { asListed, fits, type ListQuery, type Overlay, shows, viewOf } from './view.ts';

/** How a live list is: `catching up` while it is read again after a loss, `offline` while no event comes. */
export type LiveState = 'connecting' | 'live' | 'catching up' | 'offline';

/** A live list at a moment. The same object until something changes. */
export interface LiveSnapshot<Entry> {
  /** The entries in the order of the list, changes that are not answered laid over them; `undefined` until it was read. */
  data: readonly Entry[] | undefined;
  /** How many entries the list has at the service, those beyond `most` included. */
  total: number;
  state: LiveState;
  /** Why the list could not be read, or the stream of events ended. */
  error: unknown;
  /** The ids of entries with a change that is not answered. */
  pending: ReadonlySet<string>;
  /** Changes that are not sent any more: too old, or refused after a reload. Show them, and `dismiss` them. */
  unsent: readonly LiveChange[];
}

/** The state that a list shares with the others of its client. @internal */
export interface ListParts {
  row: LiveRow;
  stream: Stream;
  isOffline(): boolean;
  changes(): readonly LiveChange[];
  /** Another list's knowledge of an entry. */
  elsewhere(id: string): Item | undefined;
  /** Reads one entry; undefined where there is none. */
  readOne(id: string, include: readonly string[]): Promise<Item | undefined>;
  readPage(input: Record<string, unknown>, signal: AbortSignal): Promise<Page>;
  onError(error: unknown): void;
}

/** A live list, without the types of its entries. @internal */
export interface OwnList {
  /** The caller's copy of it. */
  typed?: unknown;
  row: LiveRow;
  subscribe(listener: () => void): () => void;
  getSnapshot(): LiveSnapshot<Item>;
  refetch(): void;
  isStarted(): boolean;
  find(id: string): Item | undefined;
  /** Reads an entry; what it answers puts the entry into the list. */
  refresh(id: string): Promise<() => void>;
  /** Something else that it shows has changed. */
  changed(): void;
  close(): void;
}

const graceMs = 1_000;

/** Makes a live list, which reads and follows while anybody subscribes to it. @internal */
export function createList(parts: ListParts, query: ListQuery): OwnList {
  const { row, stream } = parts;
  const { filters, include } = query;
  const known = createKnown(row);
  const listeners = new Set<() => void>();
  // The events that arrived while the list, or the entry, was being read.
  const meanwhile = new Map<string, PublishedEvent>();
  const later = new Map<string, PublishedEvent>();
  let beyond = 0;
  let isRead = false;
  let isCaughtUp = false;
  let wasLive = false;
  let error: unknown;
  let snapshot: LiveSnapshot<Item> | undefined;
  let isReported = true;
  let unfollow: (() => void) | undefined;
  let stopping: ReturnType<typeof setTimeout> | undefined;

  const reader = createReader({
    row,
    known,
    query,
    readPage: parts.readPage,
    refresh,
    onRead(total, count) {
      beyond = Math.max(0, total - count);
      [isRead, isCaughtUp, error] = [true, wasLive, undefined];
      for (const event of meanwhile.values()) follow(event);
      meanwhile.clear();
      changed();
    },
    onFail(thrown) {
      error = thrown;
      parts.onError(thrown);
      changed();
    },
    onAsked(id) {
      const event = later.get(id);
      if (later.delete(id) && event !== undefined) follow(event);
    },
  });

  async function refresh(id: string): Promise<() => void> {
    const began = known.begin();
    const read = await parts.readOne(id, include);
    return () => {
      const state = read === undefined ? Number.POSITIVE_INFINITY : row.stateOf(read);
      const passes = read !== undefined && fits(row, filters, read) !== false;
      known.put(id, passes && row.reads ? asListed(row.reads, include, read) : undefined, state, began);
      if (beyond > 0 && !query.byArrival) reader.again();
      changed();
    };
  }

  function follow(event: PublishedEvent): void {
    const { reads, gone } = row;
    const data = event.data as Item;
    const id = row.idOf(data);
    if (reads === undefined) {
      const isGone = event.type === gone;
      const state = isGone ? Number.POSITIVE_INFINITY : row.stateOf(data);
      known.put(id, isGone ? undefined : data, state, known.begin());
      changed();
      return;
    }
    if (reader.isAsking(id)) return void later.set(id, event);
    const before = known.get(id);
    const passes = fits(row, filters, data);
    if (passes === undefined) reader.again();
    else if (before === undefined ? passes : !shows(reads, include, before, data)) reader.want(id);
  }

  const onEvent = (event: PublishedEvent) => {
    if (isCaughtUp) follow(event);
    else meanwhile.set(row.idOf(event.data as Item), event);
  };

  function onLive(): void {
    [wasLive, isCaughtUp] = [true, false];
    for (const each of [meanwhile, later]) each.clear();
    reader.giveUp();
    reader.read();
    changed();
  }

  function start(): void {
    if (unfollow !== undefined) return;
    unfollow = stream.follow({ types: row.events, onEvent, onLive });
    reader.readSoon();
  }

  function stop(): void {
    unfollow?.();
    unfollow = undefined;
    reader.stop();
    for (const each of [known, meanwhile, later]) each.clear();
    [isRead, isCaughtUp, wasLive, error, beyond] = [false, false, false, undefined, 0];
    snapshot = undefined;
  }

  // Many answers come at once: what is shown is worked out once for them.
  function changed(): void {
    if (!isReported) return;
    isReported = false;
    queueMicrotask(() => {
      isReported = true;
      snapshot = undefined;
      for (const listener of listeners) listener();
    });
  }

  function stateNow(): LiveState {
    if (parts.isOffline() || stream.state() === 'lost') return 'offline';
    if (!wasLive) return 'connecting';
    return isCaughtUp && stream.state() === 'live' ? 'live' : 'catching up';
  }

  let last: readonly Item[] = [];
  function made(): LiveSnapshot<Item> {
    const changes = parts.changes();
    const overlays: Overlay[] = [];
    for (const { path, input, status } of changes) {
      if (status === 'expired' || status === 'refused') continue;
      const patch = row.changes[path]?.(input);
      if (patch !== undefined) overlays.push({ id: input.id, patch });
    }
    const { data, count } = viewOf(row, query, known, overlays, parts.elsewhere);
    if (data.length !== last.length || data.some((item, at) => item !== last[at])) last = data;
    return {
      data: isRead ? last : undefined,
      total: count + beyond,
      state: stateNow(),
      error,
      pending: new Set(overlays.map(({ id }) => id)),
      unsent: changes.filter(({ status }) => status === 'expired' || status === 'refused'),
    };
  }

  return {
    row,
    subscribe(listener) {
      const own = () => listener();
      listeners.add(own);
      clearTimeout(stopping);
      start();
      return () => {
        listeners.delete(own);
        // A page that is drawn again leaves and comes back at once.
        if (listeners.size === 0) stopping = setTimeout(stop, graceMs);
      };
    },
    getSnapshot: () => (snapshot ??= made()),
    refetch: () => reader.read(),
    isStarted: () => unfollow !== undefined,
    find: (id) => known.get(id),
    refresh,
    changed,
    close() {
      clearTimeout(stopping);
      stop();
      changed();
    },
  };
}
