import type { ComandaClient } from './client.ts';
import type { EventType } from './events.ts';
import { readFeed } from './feed.ts';
import type { EventOf } from './operations.ts';
import type { PublishedEvent } from './surface.ts';
import { createTab } from './tab.ts';
import { covers, type TabMessage } from './tab-messages.ts';
import type { WatchInput, WatchOptions, WatchState } from './watch.ts';

/**
 * `events.watch`, of which all tabs of a browser that give the same `name` need one stream: one tab holds it and
 * forwards it to the others; when it closes, crashes or sleeps, another goes on. Each tab gets every event of its
 * `types` once, in its order. The stream has the types that its tabs ask for together; without `types` a tab asks for
 * all that the key sees. A tab gets events that the key of another one may read, so name the location and the signed-in
 * person. No key is sent to other tabs.
 *
 * Where the browser lets tabs share nothing (a page without https), each has a stream of its own.
 *
 * @example
 * for await (const event of watchShared(comanda, locationId, { types: ['order.created'] })) {
 *   await printTicket(event.data);
 * }
 */
export function watchShared<const Type extends EventType = EventType>(
  comanda: Pick<ComandaClient, 'events'>,
  name: string,
  input: WatchInput<Type> = {},
  options: WatchOptions = {},
): AsyncGenerator<EventOf<Type>, void, undefined> {
  const { navigator } = globalThis as { navigator?: object };
  const canShare = 'locks' in (navigator ?? {}) && 'BroadcastChannel' in globalThis;
  if (!canShare) return comanda.events.watch(input, options);
  return watchingShared(comanda, name, input, options) as AsyncGenerator<EventOf<Type>, void, undefined>;
}

/** Ids that a tab remembers, to recognize an event that another one sends again. */
const remembered = 1_000;

async function* watchingShared(
  comanda: Pick<ComandaClient, 'events'>,
  name: string,
  { after, types }: WatchInput,
  { signal, onState = () => {}, silentMs = 40_000 }: WatchOptions,
): AsyncGenerator<PublishedEvent, void, undefined> {
  let cursor = after === 'latest' ? undefined : after;
  const seen = new Set<string>();
  let state: WatchState = { status: 'connecting' };
  let isAhead = false;
  // The type of the event at the cursor; unknown where this tab has had none.
  let last: PublishedEvent['type'] | undefined;
  onState(state);
  const tab = createTab(name, {
    signal,
    askEveryMs: silentMs / 2,
    types,
    check: (tabSignal) =>
      readFeed(comanda, { after: 'latest', types }, { everyMs: 2_000, signal: tabSignal }),
    // An event on its way to this tab comes twice then, and is recognized by its id.
    watch: (place, tabSignal, send) =>
      comanda.events.watch(
        { after: place.after ?? cursor, types: place.types && [...place.types] },
        { signal: tabSignal, onState: send, silentMs },
      ),
  });
  const remember = (id: string) => {
    seen.add(id);
    const [oldest] = seen;
    if (seen.size > remembered && oldest !== undefined) seen.delete(oldest);
  };
  try {
    for await (const message of tab.messages()) {
      // The same is sent again to tabs that ask.
      if (message.kind === 'state' && JSON.stringify(message.state) !== JSON.stringify(state)) {
        ({ state } = message);
        onState(state);
      }
      for await (const event of newIn(message)) {
        remember(event.id);
        cursor = event.id;
        last = event.type;
        if (types === undefined || types.includes(event.type)) yield event;
        if (signal?.aborted) return;
      }
    }
  } finally {
    tab.close();
  }

  // A message follows this tab's last event, or the tab reads the events between; events that it has had already are
  // skipped.
  async function* newIn(message: TabMessage): AsyncGenerator<PublishedEvent, void, undefined> {
    const upTo = message.kind === 'event' ? message.event.id : message.cursor;
    if (upTo === undefined || upTo === cursor || seen.has(upTo)) return;
    if (cursor === undefined) {
      if (message.kind === 'state') cursor = upTo;
      return;
    }
    const follows = message.kind === 'event' && message.behind === cursor;
    // A tab that continues from an older place sends many events that this one had long ago: the feed is not asked each
    // time, where the messages will reach the event that this tab had last.
    const isOnTheWay = last !== undefined && covers(message.types, [last]);
    const isOld = message.kind === 'event' && !follows && isAhead && isOnTheWay;
    isAhead = isOld;
    if (follows) yield message.event;
    if (follows || isOld) return;
    for (;;) {
      const place = { after: cursor, types: message.types && [...message.types] };
      const page = await readFeed(comanda, place, { everyMs: 2_000, signal });
      for (const event of page?.data ?? []) {
        yield event;
        if (event.id === upTo) return;
      }
      if (page === undefined) return;
      if (page.data.length > 0) continue;
      // The end of the feed: the message has an earlier event, or a place among events of other types.
      isAhead = message.kind === 'event';
      remember(upTo);
      return;
    }
  }
}
