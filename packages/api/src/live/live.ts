import type { Notifications, Queryable } from '@comanda/db';
import type { Logger } from 'pino';
import { inSlot, type Slots } from '../capacity/slots.ts';
import type { Caller, Credentials } from '../credentials/credentials.ts';
import { type ApiError, unavailable } from '../errors.ts';
import { defaultLiveBounds, type LiveBounds } from './bounds.ts';
import { createFeeds } from './feeds.ts';
import { createHeld } from './held.ts';
import { type KeyedStream, startKeyLooks } from './keys.ts';
import type { News } from './news.ts';
import { createReader, type Reader, type ReaderOptions } from './reader.ts';
import { createSeats, type Holder } from './seats.ts';

/** A stream of events to one reader. */
export interface Stream {
  /** The next events; none after a quiet time; undefined when it has ended. Throws what ends it. */
  next(): Promise<News[] | undefined>;
  /** Ends it and gives its seat back; may be called again. */
  close(): void;
}

/** A stream that is asked for: its caller, its key, and the events it begins behind. */
export interface StreamOptions
  extends Holder,
    Pick<ReaderOptions, 'after' | 'types'>,
    Pick<KeyedStream, 'authorization' | 'judge'> {}

/** The streams of this process. */
export interface Live {
  /**
   * Opens one, in a slot of the caller's. Open it holds neither connection nor slot: one look of the process serves all
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
  /** Where each page that a reader reads by itself takes a slot: many that come again at once do not keep requests out. */
  slots: Slots;
  notifications: Notifications;
  credentials: Pick<Credentials, 'authenticate'>;
  log: Logger;
  bounds?: Partial<LiveBounds>;
}

interface OpenStream extends KeyedStream {
  readonly reader: Reader;
}

/** Brings what the relay publishes to open streams. */
export function createLive({
  database,
  slots,
  credentials,
  notifications,
  log,
  ...options
}: LiveOptions): Live {
  const bounds = { ...defaultLiveBounds, ...options.bounds };
  const seats = createSeats(bounds);
  const held = createHeld();
  const open = new Set<OpenStream>();
  const feeds = createFeeds({ database, notifications, log, bounds });
  const keyLooks = startKeyLooks(open, credentials, bounds.keysMs);
  let drained = false;

  /** The database for the pages that one reader reads by itself. */
  const inSlots = (locationId: string): Queryable => ({
    run: (statement, values) =>
      inSlot(slots, { locationId, resource: 'events', kind: 'query' }, () => database.run(statement, values)),
  });

  return {
    async open(options) {
      if (drained) throw goingAway();
      const leave = seats.take(options);
      try {
        const { locationId, authorization } = options;
        const feed = await feeds.of(locationId);
        const reader = createReader(inSlots(locationId), feed, options, bounds, held);
        const stream = { reader, authorization, judge: (key: Caller) => options.judge(key) };
        feeds.join(locationId, feed, reader);
        open.add(stream);
        if (open.size === 1) keyLooks.wake();
        if (drained) reader.end(goingAway());
        return {
          next: reader.next,
          close() {
            reader.end();
            reader.close();
            leave();
            open.delete(stream);
            feeds.leave(locationId, feed, reader);
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
      await Promise.all([feeds.stop(), keyLooks.stop()]);
    },
  };
}

/** The last event of a stream whose process stops: another process serves. */
const goingAway = (): ApiError =>
  unavailable(
    'temporarily_unavailable',
    'This process stops. Open the stream again, behind the last event that you have read.',
  );
