import type { ComandaClient } from './client.ts';
import { comandaError, noAnswer } from './errors.ts';
import type { EventType } from './events.ts';
import { waitAfter } from './failure.ts';
import { largestPage } from './list.ts';
import type { EventOf } from './operations.ts';
import { pause } from './pause.ts';

/** Where to read on in the feed, and what. */
export interface FollowOptions<Type extends EventType = EventType> {
  /** The cursor that was kept, or `latest` for what comes from now on; without it from `since`, or 30 days back. */
  after?: string | undefined;
  /** ISO 8601 with an offset: the moment to begin with, in place of `after`. */
  since?: string | undefined;
  /** Only events of these types. */
  types?: readonly Type[] | undefined;
  /** How long to wait when there is nothing new, in milliseconds; 2,000 unless given. */
  everyMs?: number | undefined;
  /** Ends the loop. */
  signal?: AbortSignal | undefined;
  /** Gets where to read on (`after`) once the loop is done with all before it: keep it. It is waited for. */
  onCursor?: ((cursor: string) => void | Promise<void>) | undefined;
  /**
   * The service was restored from a backup that does not have the cursor. Gets the moment (ISO 8601) that the loop goes on
   * from; what you did after it may be unknown to the service. It is waited for. Without it that refusal is thrown.
   */
  onRestored?: ((since: string) => void | Promise<void>) | undefined;
}

/**
 * The feed of events, oldest first, and on and on as new ones come. It outlasts outages: calls are repeated where a
 * repeat can help. Any other error is thrown (a revoked key, a cursor older than 30 days, or one lost in a restore). A program
 * that keeps the cursor and does each event's work once by its `id` misses nothing and does nothing twice.
 *
 * @example
 * const after = await loadCursor();
 * for await (const event of followEvents(comanda, { after, types: ['order.created'], onCursor: saveCursor })) {
 *   await printTicket(event.data);
 * }
 */
export async function* followEvents<const Type extends EventType = EventType>(
  comanda: Pick<ComandaClient, 'events'>,
  { after, since, types, everyMs = 2_000, signal, onCursor, onRestored }: FollowOptions<Type> = {},
): AsyncGenerator<EventOf<Type>, void, undefined> {
  let cursor = after;
  let beginning = since;
  while (!signal?.aborted) {
    const place = { after: cursor, since: cursor === undefined ? beginning : undefined, types };
    let page: EventsPage | undefined;
    try {
      page = await readFeed(comanda, place, { everyMs, signal });
    } catch (error) {
      const restoredTo = restoredSince(error);
      if (onRestored === undefined || restoredTo === undefined) throw error;
      [cursor, beginning] = [undefined, restoredTo];
      await onRestored(restoredTo);
      continue;
    }
    // Nothing of the page is given any more, so no cursor may pass it.
    if (page === undefined || signal?.aborted) return;
    let done: string | undefined;
    for (const event of page.data) {
      if (signal?.aborted) break;
      yield event as EventOf<Type>;
      done = event.id;
    }
    const next = done ?? page.pagination.next;
    if (next !== undefined && next !== cursor) {
      cursor = next;
      await onCursor?.(next);
    }
    if (page.data.length < page.pagination.limit) await pause(everyMs, signal);
  }
}

/** A page of the feed, however long the service is away; undefined once `signal` ends it. @internal */
export async function readFeed(
  comanda: Pick<ComandaClient, 'events'>,
  place: { after: string | undefined; since?: string | undefined; types?: readonly EventType[] | undefined },
  { everyMs, signal }: { everyMs: number; signal: AbortSignal | undefined },
): Promise<EventsPage | undefined> {
  while (!signal?.aborted) {
    try {
      return await comanda.events.list.query({ ...place, limit: largestPage }, signal && { signal });
    } catch (error) {
      if (signal?.aborted) return undefined;
      const wait = waitAfter(error);
      if (wait === undefined && noAnswer(error) !== 'timeout') throw error;
      await pause(typeof wait === 'number' ? wait * 1000 : everyMs, signal);
    }
  }
  return undefined;
}

// Where to go on after the service was restored from a backup that lacks the cursor.
function restoredSince(error: unknown): string | undefined {
  const refusal = comandaError(error);
  return refusal?.reason === 'cursor_not_restored' ? refusal.since : undefined;
}

type EventsPage = Awaited<ReturnType<ComandaClient['events']['list']['query']>>;
