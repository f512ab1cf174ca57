import { type Service, ServiceError } from './service.ts';
import type { Terminal } from './terminal.ts';
import { sleep } from './waiting.ts';

/** An event, as endpoints receive it. */
export interface FeedEvent {
  id: string;
  type: string;
  created_at: string;
  data: unknown;
}

/**
 * The position of a reading: `after` an event, or `since` a moment. `since` helps on when `after` is not known any
 * more.
 */
export interface Cursor {
  /** The id of the last event that was read; `latest` is now. */
  after?: string | undefined;
  since?: string | undefined;
}

/** The result of a reading: the cursor to keep once `event` is processed. Without an event only the cursor is new. */
export interface Step {
  cursor: Cursor;
  event?: FeedEvent;
}

/** The types to read. */
export interface Reading {
  from: Cursor;
  /** Event types, comma-separated; all unless given. */
  types?: string | undefined;
  /** Whether to end where the feed ends; otherwise it is asked again and again. */
  once: boolean;
}

const pageSize = 200;
/** Every second while something happens; every five when nothing did for ten minutes. */
const pace = { busyMs: 1_000, idleMs: 5_000, idleAfterMs: 600_000 };

/** Reads the feed of events in its order, and waits for the service as long as it is away. @throws {ServiceError} */
export async function* readFeed(
  service: Service,
  { from, types, once }: Reading,
  terminal: Terminal,
): AsyncGenerator<Step> {
  let cursor = from;
  let lastAt = performance.now();
  for (;;) {
    const page = await readPage(service, cursor, types).catch((error: unknown) => {
      const since = sinceAfter(error, cursor);
      terminal.note(
        `the feed does not know ${cursor.after} any more; going on with what happened since ${since} (30 days at most)`,
      );
      return { since };
    });
    if ('since' in page) {
      cursor = page;
      continue;
    }
    for (const event of page.data) {
      cursor = { after: event.id, since: event.created_at };
      yield { cursor, event };
      lastAt = performance.now();
    }
    if (page.pagination.next !== undefined) {
      cursor = { ...cursor, after: page.pagination.next };
      yield { cursor };
    }
    // Large events make a page shorter than was asked for.
    if (page.data.length === page.pagination.limit) continue;
    if (once) return;
    const isIdle = performance.now() - lastAt > pace.idleAfterMs;
    await sleep(isIdle ? pace.idleMs : pace.busyMs);
  }
}

/** The moment from which to go on. Of a restore the service knows it; what was read after it is no measure then. */
function sinceAfter(error: unknown, { after, since }: Cursor): string {
  if (!(error instanceof ServiceError) || after === undefined) throw error;
  const known = error.reason === 'unknown_cursor' ? since : error.since;
  if (known === undefined) throw error;
  return known;
}

interface Page {
  data: FeedEvent[];
  pagination: { limit: number; next?: string };
}

async function readPage(service: Service, { after, since }: Cursor, types?: string): Promise<Page> {
  const place = after === undefined ? { since } : { after };
  const query = { ...place, types, limit: pageSize };
  return (await service.call({ path: '/v2/events', query, forever: true })) as Page;
}
