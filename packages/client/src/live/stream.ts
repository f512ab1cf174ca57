import type { ComandaClient } from '../client.ts';
import type { EventType } from '../events.ts';
import { comandaError } from '../index.ts';
import { watchShared } from '../shared.ts';
import type { PublishedEvent } from '../surface.ts';
import type { WatchState } from '../watch.ts';

/** How the stream is: `lost` while there is no connection. @internal */
export type StreamState = 'connecting' | 'live' | 'lost';

/** A follower of the stream. @internal */
export interface Follower {
  types: readonly EventType[];
  onEvent(event: PublishedEvent): void;
  /** From now on every event comes. It is called again after each loss. */
  onLive(): void;
}

/** The one stream of events of a client. @internal */
export interface Stream {
  /** Opens the stream where it is not open; ends the following. */
  follow(follower: Follower): () => void;
  state(): StreamState;
  close(): void;
}

/** The dependencies of a stream. @internal */
export interface StreamOptions {
  comanda: Pick<ComandaClient, 'events'>;
  /** Tabs with the same scope share a stream; without it each has its own. */
  scope: string | undefined;
  silentMs: number | undefined;
  onState(): void;
  /** The error that no repeat helps. */
  onError(error: unknown): void;
}

const tryAgainMs = 5_000;

/** Follows the events that anybody asks for, over one connection. @internal */
export function createStream({ comanda, scope, silentMs, onState, onError }: StreamOptions): Stream {
  const followers = new Set<Follower>();
  const live = new Set<Follower>();
  let types: EventType[] = [];
  let cursor: string | undefined;
  let state: StreamState = 'connecting';
  let connection: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOpening = true;

  const become = (next: StreamState) => {
    if (next === state) return;
    state = next;
    onState();
  };

  function onWatch(watch: WatchState): void {
    if (watch.status === 'connecting') {
      // It was live, and starts over: it catches up, and until then a list is not true.
      if (isOpening) return;
      live.clear();
      if (state === 'live') become('connecting');
      return;
    }
    isOpening = false;
    if (watch.status !== 'live') {
      live.clear();
      become('lost');
      return;
    }
    ({ cursor } = watch);
    become('live');
    for (const follower of followers) {
      if (live.has(follower)) continue;
      live.add(follower);
      follower.onLive();
    }
  }

  function open(): void {
    connection?.abort();
    clearTimeout(timer);
    isOpening = true;
    connection = new AbortController();
    const { signal } = connection;
    // An existing follower misses nothing: the new connection continues behind the last event.
    const input = { after: cursor, types: [...types] };
    const options = {
      signal,
      silentMs,
      onState: (watch: WatchState) => signal.aborted || onWatch(watch),
    };
    const events =
      scope === undefined
        ? comanda.events.watch(input, options)
        : watchShared(comanda, scope, input, options);
    const read = async () => {
      for await (const event of events) {
        if (signal.aborted) return;
        cursor = event.id;
        for (const { types, onEvent } of [...followers]) if (types.includes(event.type)) onEvent(event);
      }
    };
    read().catch((error) => {
      if (!signal.aborted) lose(error);
    });
  }

  function lose(error: unknown): void {
    const refusal = comandaError(error);
    live.clear();
    become('lost');
    // The service no longer has the place: the lists are read again from now on.
    if (refusal?.reason === 'unknown_cursor' || refusal?.reason === 'cursor_not_restored') {
      cursor = undefined;
      open();
    } else if (refusal !== undefined && refusal.httpStatus < 500) onError(error);
    else timer = setTimeout(open, tryAgainMs);
  }

  function close(): void {
    connection?.abort();
    connection = undefined;
    clearTimeout(timer);
    live.clear();
    cursor = undefined;
    types = [];
    state = 'connecting';
  }

  return {
    follow(follower) {
      followers.add(follower);
      const more = follower.types.filter((type) => !types.includes(type));
      types = [...types, ...more];
      if (connection === undefined || more.length > 0) open();
      else if (state === 'live') {
        live.add(follower);
        follower.onLive();
      }
      return () => {
        followers.delete(follower);
        live.delete(follower);
        if (followers.size === 0) close();
      };
    },
    state: () => state,
    close,
  };
}
