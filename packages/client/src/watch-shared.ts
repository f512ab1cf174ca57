import type { ComandaClient } from './client.ts';
import { readFeed } from './feed.ts';
import type { PublishedEvent } from './surface.ts';
import { createTab, type Told } from './tab.ts';
import type { WatchInput, WatchOptions, WatchState } from './watch.ts';

/**
 * `events.watch`, of which all tabs of a browser that give the same `name` need one stream: one tab holds it and tells the
 * others; when it closes, crashes or sleeps, another goes on. Each tab gets every event once, in its order. A tab gets
 * what the key of another one may read, so name the location and whoever is signed in. No key is told to other tabs.
 *
 * Where the browser lets tabs share nothing (a page without https), each has a stream of its own.
 *
 * @example
 * for await (const event of watchShared(comanda, locationId, { types: ['order.created'] })) {
 *   if (event.type === 'order.created') await printTicket(event.data);
 * }
 */
export function watchShared(
  comanda: Pick<ComandaClient, 'events'>,
  name: string,
  input: WatchInput = {},
  options: WatchOptions = {},
): AsyncGenerator<PublishedEvent, void, undefined> {
  const { navigator } = globalThis as { navigator?: object };
  const canShare = 'locks' in (navigator ?? {}) && 'BroadcastChannel' in globalThis;
  return canShare ? watchingShared(comanda, name, input, options) : comanda.events.watch(input, options);
}

/** Ids that a tab remembers, to know what another one tells again. */
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
  onState(state);
  const tab = createTab(name, {
    ...{ signal, askEveryMs: silentMs / 2 },
    // What is on its way to this tab comes twice then, and is known by its ids.
    watch: (tabSignal, tell) =>
      comanda.events.watch({ after: cursor }, { signal: tabSignal, onState: tell, silentMs }),
  });
  try {
    for await (const told of tab.told()) {
      // The same is told again to tabs that ask.
      if (told.kind === 'state' && JSON.stringify(told.state) !== JSON.stringify(state)) {
        ({ state } = told);
        onState(state);
      }
      for await (const event of newIn(told)) {
        seen.add(event.id);
        const [oldest] = seen;
        if (seen.size > remembered && oldest !== undefined) seen.delete(oldest);
        cursor = event.id;
        if (types === undefined || types.includes(event.type)) yield event;
        if (signal?.aborted) return;
      }
    }
  } finally {
    tab.close();
  }

  // What is told follows what this tab has, or the tab reads what is between; what it has had already is nothing new.
  async function* newIn(told: Told): AsyncGenerator<PublishedEvent, void, undefined> {
    const upTo = told.kind === 'event' ? told.event.id : told.cursor;
    if (upTo === undefined || upTo === cursor || seen.has(upTo)) return;
    if (cursor === undefined) {
      if (told.kind === 'state') cursor = upTo;
      return;
    }
    const follows = told.kind === 'event' && told.behind === cursor;
    // A tab that goes on from an older place tells much that this one had long ago: the feed is not asked each time.
    const isOld = told.kind === 'event' && !follows && isAhead;
    isAhead = isOld;
    if (follows) yield told.event;
    if (follows || isOld) return;
    for (;;) {
      const page = await readFeed(comanda, { after: cursor }, { everyMs: 2_000, signal });
      for (const event of page?.data ?? []) {
        yield event;
        if (event.id === upTo) return;
      }
      isAhead = page?.data.length === 0;
      if (page === undefined || isAhead) return;
    }
  }
}
