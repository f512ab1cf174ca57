import { again, type Notifications, pageBytes, type Queryable, startLoop } from '@comanda/db';
import type { Logger } from 'pino';
import type { Caller, Credentials } from '../credentials/credentials.ts';
import { type ApiError, toApiError, unavailable } from '../errors.ts';
import { type Bulkhead, inPlace } from '../places/bulkhead.ts';
import { defaultLiveBounds, type LiveBounds } from './bounds.ts';
import { createHeld } from './held.ts';
import { createReader, type News, newsOf, type Reader, type ReaderOptions, type Watched } from './reader.ts';
import { createSeats, type Holder } from './seats.ts';
import { newestNumber, readNews } from './statements.ts';

/** A stream of events to one reader. */
export interface Stream {
  /** The next events; none after a quiet time; undefined when it is over. Throws what ends it. */
  next(): Promise<News[] | undefined>;
  /** Ends it and gives its seat back; may be called again. */
  close(): void;
}

/** The reader of a stream, its key, and its filter. */
export interface StreamOptions extends Holder, Pick<ReaderOptions, 'after' | 'types'> {
  /** The header that the key came in: it is looked at again while the stream is open. */
  authorization: string | undefined;
  /**
   * The consequence of its key's present state: the stream goes on, is over (the reader gets another when it
   * reconnects), or ends with a refusal.
   */
  judge(key: Caller): 'goes on' | 'over' | ApiError;
}

/** The streams of this process. */
export interface Live {
  /**
   * Opens one, in a place of the caller's. Open it holds neither connection nor place: one look of the process serves all
   * streams. Throws 429 where a bound is reached. The caller closes it.
   */
  open(options: StreamOptions): Promise<Stream>;
  /** How many are open. */
  count(): number;
  /** Ends all streams, now and from now on: each client is asked to reconnect, which leads to another process. */
  drain(): void;
  close(): Promise<void>;
}

/** The dependencies of streams. */
export interface LiveOptions {
  database: Queryable;
  /** Where each page that a reader reads by itself takes a place: many that come again at once do not keep requests out. */
  bulkhead: Bulkhead;
  notifications: Notifications;
  credentials: Pick<Credentials, 'authenticate'>;
  log: Logger;
  bounds?: Partial<LiveBounds>;
}

interface Open {
  reader: Reader;
  options: StreamOptions;
}

/**
 * Sends published events to every watching reader. The relay names the locations when it commits; a missed notification
 * is found by polling every two seconds, so that nothing depends on notifications.
 */
export function createLive({
  database,
  bulkhead,
  notifications,
  credentials,
  log,
  ...options
}: LiveOptions): Live {
  const bounds = { ...defaultLiveBounds, ...options.bounds };
  const seats = createSeats(bounds);
  const held = createHeld();
  const watched = new Map<string, Watched>();
  const open = new Set<Open>();
  const named = new Set<string>();
  let polledAt = Number.NEGATIVE_INFINITY;
  let drained = false;

  notifications.on('comanda_events', (payload) => {
    if (payload === undefined) for (const id of watched.keys()) named.add(id);
    else for (const id of payload.split(',')) if (watched.has(id)) named.add(id);
    if (named.size > 0) looking.wake();
  });

  async function look(): Promise<void> {
    const now = performance.now();
    if (now - polledAt >= bounds.pollMs) {
      for (const id of watched.keys()) named.add(id);
      polledAt = now;
    }
    const wanted = [...named].flatMap((id) => {
      const feed = watched.get(id);
      return feed === undefined ? [] : { id, last: feed.last };
    });
    named.clear();
    if (wanted.length === 0) return;
    const ids = wanted.map(({ id }) => id);
    const numbers = wanted.map(({ last }) => last);
    const rows = await database.run(readNews, [ids, numbers, bounds.page]).catch((error: unknown) => {
      for (const id of ids) named.add(id);
      throw error;
    });
    const counts = new Map<string, number>();
    let bytes = 0;
    for (const row of rows) {
      const feed = watched.get(row.locationId);
      const news = newsOf(row);
      bytes += news.bytes;
      if (feed === undefined || news.number <= feed.last) continue;
      feed.last = news.number;
      for (const reader of feed.readers) reader.offer(news);
      const count = (counts.get(row.locationId) ?? 0) + 1;
      counts.set(row.locationId, count);
      // There may be more.
      if (count === bounds.page) named.add(row.locationId);
    }
    // The byte limit ended it: first the readers that it did not reach, last the one that it was serving.
    if (bytes < pageBytes) return;
    const at = ids.indexOf(rows.at(-1)?.locationId ?? '');
    const later = [...named];
    named.clear();
    for (const id of [...ids.slice(at + 1), ...later, ...ids.slice(at, at + 1)]) named.add(id);
  }
  const looking = startLoop({
    async round() {
      await look();
      return again(named.size > 0 ? 0 : bounds.pollMs);
    },
    failed: (error, { afterMs }) => log.warn({ err: error, afterMs }, 'streams cannot look for events'),
    ref: false,
  });

  /**
   * Ends the streams whose key is no longer valid, or sees other types. A check that only the database could answer
   * is repeated the next time.
   */
  async function lookAtKeys(): Promise<void> {
    const byKey = new Map<string | undefined, Open[]>();
    for (const each of open) {
      const { authorization } = each.options;
      byKey.set(authorization, [...(byKey.get(authorization) ?? []), each]);
    }
    await Promise.all(
      [...byKey].map(async ([authorization, streams]) => {
        try {
          const key = await credentials.authenticate(authorization);
          for (const { reader, options: stream } of streams) {
            const judged = stream.judge(key);
            if (judged !== 'goes on') reader.end(judged === 'over' ? undefined : judged);
          }
        } catch (error) {
          const refusal = toApiError(error);
          if (refusal.status === 401 || refusal.reason === 'location_disabled' || refusal.reason === 'moved')
            for (const { reader } of streams) reader.end(refusal);
        }
      }),
    );
  }
  const guarding = startLoop({
    async round() {
      await lookAtKeys();
      return again(bounds.keysMs);
    },
    firstRestMs: bounds.keysMs,
    ref: false,
  });

  const inPlaces = (locationId: string): Queryable => ({
    run: (statement, values) =>
      inPlace(bulkhead, { locationId, resource: 'events', kind: 'query' }, () =>
        database.run(statement, values),
      ),
  });

  async function feedOf(locationId: string): Promise<Watched> {
    const known = watched.get(locationId);
    if (known !== undefined) return known;
    const [newest] = await database.run(newestNumber, [locationId]);
    const feed = watched.get(locationId) ?? { last: Number(newest?.number ?? 0), readers: new Set() };
    watched.set(locationId, feed);
    return feed;
  }

  return {
    async open(stream) {
      if (drained) throw goingAway();
      const leave = seats.take(stream);
      try {
        const { locationId } = stream;
        const feed = await feedOf(locationId);
        const reader = createReader(inPlaces(locationId), feed, stream, bounds, held);
        const entry = { reader, options: stream };
        feed.readers.add(reader);
        watched.set(locationId, feed);
        open.add(entry);
        if (drained) reader.end(goingAway());
        return {
          next: reader.next,
          close() {
            reader.end();
            reader.close();
            leave();
            open.delete(entry);
            feed.readers.delete(reader);
            if (feed.readers.size === 0 && watched.get(locationId) === feed) watched.delete(locationId);
          },
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
    count: seats.count,
    drain() {
      drained = true;
      for (const { reader } of open) reader.end(goingAway());
    },
    async close() {
      this.drain();
      await Promise.all([looking.stop(), guarding.stop()]);
    },
  };
}

/** The last event of a stream whose process stops: another process serves. */
const goingAway = (): ApiError =>
  unavailable(
    'temporarily_unavailable',
    'This process stops. Open the stream again, behind the last event that you have read.',
  );
