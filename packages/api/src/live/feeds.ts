import { again, type Loop, type Notifications, pageBytes, type Queryable, startLoop } from '@comanda/db';
import type { Logger } from 'pino';
import type { LiveBounds } from './bounds.ts';
import { type Feed, newsOf } from './news.ts';
import type { Reader } from './reader.ts';
import { type NewsRow, newestNumber, readNews } from './statements.ts';

/** A feed and its readers. */
export interface ReadFeed extends Feed {
  readonly readers: Set<Reader>;
}

/** The feeds of the locations that have readers in this process. */
export interface Feeds {
  /** The feed of a location; of one without readers, from its newest event on. It is kept once it is joined. */
  of(locationId: string): Promise<ReadFeed>;
  /** Gives a reader the news of the feed from now on. */
  join(locationId: string, feed: ReadFeed, reader: Reader): void;
  /** Ends that. A feed without readers is forgotten. */
  leave(locationId: string, feed: ReadFeed, reader: Reader): void;
  /** Ends the loop that looks for news. */
  stop: Loop['stop'];
}

/** The tools with which feeds are read. */
export interface FeedsOptions {
  database: Queryable;
  notifications: Notifications;
  log: Logger;
  bounds: Pick<LiveBounds, 'page' | 'pollMs'>;
}

/**
 * Looks for news of the feeds that have readers, and gives it to them: of the locations that a notification names at once, of all
 * of them each `pollMs`, so that nothing depends on a notification.
 */
export function createFeeds({ database, notifications, log, bounds }: FeedsOptions): Feeds {
  const feeds = new Map<string, ReadFeed>();
  /** The locations to look at, in this order. */
  const named = new Set<string>();
  let polledAt = Number.NEGATIVE_INFINITY;

  notifications.on('comanda_events', (payload) => {
    if (payload === undefined) for (const id of feeds.keys()) named.add(id);
    else for (const id of payload.split(',')) if (feeds.has(id)) named.add(id);
    if (named.size > 0) looking.wake();
  });

  async function look(): Promise<void> {
    const asked = takeNamed();
    if (asked.length === 0) return;
    const ids = asked.map(({ id }) => id);
    const numbers = asked.map(({ last }) => last);
    const rows = await database.run(readNews, [ids, numbers, bounds.page]).catch((error: unknown) => {
      for (const id of ids) named.add(id);
      throw error;
    });
    const bytes = give(rows);
    if (bytes >= pageBytes) lookAgain(ids, rows.at(-1)?.locationId ?? '');
  }

  /** The locations to look at now, and the last number that the readers of each have. */
  function takeNamed(): { id: string; last: number }[] {
    const now = performance.now();
    if (now - polledAt >= bounds.pollMs) {
      for (const id of feeds.keys()) named.add(id);
      polledAt = now;
    }
    const taken = [...named].flatMap((id) => {
      const feed = feeds.get(id);
      return feed === undefined ? [] : { id, last: feed.last };
    });
    named.clear();
    return taken;
  }

  /** Gives rows to the readers of their feeds, and names again the locations of which there may be more. Returns the bytes of all rows. */
  function give(rows: readonly NewsRow[]): number {
    const counts = new Map<string, number>();
    let bytes = 0;
    for (const row of rows) {
      const feed = feeds.get(row.locationId);
      const news = newsOf(row);
      bytes += news.bytes;
      if (feed === undefined || news.number <= feed.last) continue;
      feed.last = news.number;
      for (const reader of feed.readers) reader.offer(news);
      const count = (counts.get(row.locationId) ?? 0) + 1;
      counts.set(row.locationId, count);
      if (count === bounds.page) named.add(row.locationId);
    }
    return bytes;
  }

  /** After a look that its bytes ended at location `at`: first those that it did not reach, last the one that it ended at. */
  function lookAgain(ids: readonly string[], at: string): void {
    const index = ids.indexOf(at);
    const later = [...named];
    named.clear();
    for (const id of [...ids.slice(index + 1), ...later, ...ids.slice(index, index + 1)]) named.add(id);
  }

  const looking = startLoop({
    async round() {
      await look();
      return again(named.size > 0 ? 0 : bounds.pollMs);
    },
    failed: (error, { afterMs }) => log.warn({ err: error, afterMs }, 'streams cannot look for events'),
    ref: false,
  });

  return {
    async of(locationId) {
      const known = feeds.get(locationId);
      if (known !== undefined) return known;
      const [newest] = await database.run(newestNumber, [locationId]);
      const feed = feeds.get(locationId) ?? { last: Number(newest?.number ?? 0), readers: new Set() };
      feeds.set(locationId, feed);
      return feed;
    },
    join(locationId, feed, reader) {
      feed.readers.add(reader);
      feeds.set(locationId, feed);
    },
    leave(locationId, feed, reader) {
      feed.readers.delete(reader);
      if (feed.readers.size === 0 && feeds.get(locationId) === feed) feeds.delete(locationId);
    },
    stop: () => looking.stop(),
  };
}
