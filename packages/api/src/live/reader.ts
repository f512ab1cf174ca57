import { createWaker, type Queryable, readerBytes } from '@comanda/db';
import type { LiveBounds } from './bounds.ts';
import type { Held } from './held.ts';
import { type Feed, type News, newsOf } from './news.ts';
import { readMissed, readMissedOfTypes } from './statements.ts';

/** One stream: it begins behind, reads up by itself, and is then given what comes. */
export interface Reader {
  /** Gives it an event in its turn; it remembers a bounded number, and else falls behind. */
  offer(news: News): void;
  /** Ends it: pending events are still read, then `next` throws `reason`, or returns undefined. */
  end(reason?: Error): void;
  /** Releases all events that it holds: no reader is left. */
  close(): void;
  /**
   * The next events, which it holds until it is asked again; none after a quiet time, so that the stream can say that
   * it lives; undefined when it has ended. Throws what the reader was ended with, and what the database throws.
   */
  next(): Promise<News[] | undefined>;
}

/** Where a reader begins, and what it wants. */
export interface ReaderOptions {
  locationId: string;
  /** Events behind this place. */
  after: number;
  types: readonly string[] | undefined;
}

/** Makes a reader of a feed. */
export function createReader(
  database: Queryable,
  feed: Pick<Feed, 'last'>,
  { locationId, after, types }: ReaderOptions,
  { waiting, page, quietMs }: LiveBounds,
  held: Held,
): Reader {
  const waker = createWaker();
  const wanted = types === undefined ? undefined : new Set(types);
  let place = after;
  let isBehind = true;
  let kept: News[] = [];
  let keptBytes = 0;
  /** The last row read. */
  let given: News[] = [];
  let closed = false;
  let ended: { reason: Error | undefined } | undefined;

  const give = (news: News[]) => {
    given = news;
    return news;
  };
  const letGo = (news: readonly News[]) => {
    for (const each of news) held.letGo(each);
  };

  /** Reads a page of what it has missed; at the end it takes part again in what comes. */
  async function readUp(): Promise<News[]> {
    for (;;) {
      // All of it is visible to the question that follows.
      const seen = feed.last;
      const giveBack = held.reserve(locationId);
      const rows = await (types === undefined
        ? database.run(readMissed, [locationId, place, page])
        : database.run(readMissedOfTypes, [locationId, place, page, types])
      ).finally(giveBack);
      const news = rows.map(newsOf);
      const last = news.at(-1);
      if (last !== undefined) {
        place = last.number;
        if (!closed) for (const each of news) held.hold(each);
        return news;
      }
      place = Math.max(place, seen);
      if (feed.last > place) continue;
      isBehind = false;
      return [];
    }
  }

  return {
    offer(news) {
      if (isBehind || news.number <= place) return;
      if (kept.length >= waiting || keptBytes >= readerBytes || !held.hasRoom(locationId)) {
        isBehind = true;
        place = kept.at(-1)?.number ?? place;
        return;
      }
      place = news.number;
      if (wanted !== undefined && !wanted.has(news.type)) return;
      kept.push(news);
      keptBytes += news.bytes;
      held.hold(news);
      waker.wake();
    },
    end(reason) {
      ended ??= { reason };
      waker.wake();
    },
    close() {
      closed = true;
      letGo(kept);
      letGo(given);
      [kept, given, keptBytes] = [[], [], 0];
    },
    async next() {
      letGo(given);
      given = [];
      for (;;) {
        if (kept.length > 0) {
          const news = kept;
          [kept, keptBytes] = [[], 0];
          return give(news);
        }
        if (ended?.reason !== undefined) throw ended.reason;
        if (ended !== undefined) return undefined;
        if (isBehind) {
          if (!held.hasRoom(locationId)) {
            await wokenWithin(waker, roomMs);
            return [];
          }
          const missed = await readUp();
          if (missed.length > 0) return give(missed);
          continue;
        }
        if (!(await wokenWithin(waker, quietMs))) return [];
      }
    },
  };
}

/** How soon a reader that is behind looks again for room. */
const roomMs = 1_000;

async function wokenWithin(waker: ReturnType<typeof createWaker>, ms: number): Promise<boolean> {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    waker.wake();
  }, ms);
  await waker.wait();
  clearTimeout(timer);
  return !late;
}
