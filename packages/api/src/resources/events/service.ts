import { isId, type Queryable } from '@comanda/db';
import { type Answer, answerPage } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import type { Caller } from '../../credentials/credentials.ts';
import { ApiError, invalid } from '../../errors.ts';
import { beforeAll, type EventList, type EventPage } from './schema.ts';
import { hiddenHeader, shownTo } from './seen.rules.ts';
import {
  findFeedPosition,
  findFeedStart,
  findFeedStartOfTypes,
  findNewest,
  findNewestOfTypes,
  findRestore,
  readFeed,
  readFeedOfTypes,
} from './statements.ts';
import type { EventType } from './types.schema.ts';

/**
 * Reads the feed of published events in the order of their publication, the bodies exactly as they are sent. Events
 * are numbered under the relay's lock, so none can appear before one that was read. Types that the key does not see are left out,
 * and named in a header. Throws `validation_error` for an `after` that is no event of the location, no longer kept, or lost in a
 * restore, `permission_denied` for a type that is asked for and hidden.
 */
export async function list(
  ctx: CallContext,
  { after, since, types: asked, limit }: EventList,
): Promise<Answer<EventPage>> {
  const { database } = ctx.app;
  const { locationId } = ctx.caller;
  const { types, hidden } = shownTo(ctx.caller, asked);
  Object.assign(ctx.headers, hiddenHeader(hidden));
  if (after === 'latest') {
    const last = await newestFor(ctx.caller, database);
    return { value: { data: [], pagination: { limit, offset: 0, total: 0, next: last.id } } };
  }
  const number = await (after === undefined
    ? start(database, locationId, since, types)
    : positionOf(database, locationId, after));
  const [page] = await (types === undefined
    ? database.run(readFeed, [locationId, number, limit])
    : database.run(readFeedOfTypes, [locationId, number, limit, types]));
  // It goes on behind the last event, not by an offset.
  const { next: _, ...answer } = answerPage<EventPage>(page, { limit, offset: 0 });
  // Each body was stored as this family shows it: its bytes stay as they are.
  return { ...answer, isPruned: true };
}

/**
 * The event that was read last, whether the key sees it or not; of `latest`, the newest that the key sees. Throws
 * `validation_error` for what is no event of the location, or no longer kept.
 */
export async function positionAfter(
  { app: { database }, caller }: CallContext,
  after: string,
): Promise<{ id: string; number: string }> {
  if (after !== 'latest') return { id: after, number: await positionOf(database, caller.locationId, after) };
  return newestFor(caller, database);
}

async function newestFor(caller: Caller, on: Queryable): Promise<{ id: string; number: string }> {
  const { types } = shownTo(caller, undefined);
  const [last] = await (types === undefined
    ? on.run(findNewest, [caller.locationId])
    : on.run(findNewestOfTypes, [caller.locationId, types]));
  return last ?? { id: beforeAll, number: '0' };
}

async function start(
  on: Queryable,
  locationId: string,
  since: string | undefined,
  types: readonly EventType[] | undefined,
): Promise<string> {
  const moment = since === undefined ? null : new Date(since);
  const [first] = await (types === undefined
    ? on.run(findFeedStart, [locationId, moment])
    : on.run(findFeedStartOfTypes, [locationId, moment, types]));
  return first?.number ?? '0';
}

async function positionOf(on: Queryable, locationId: string, id: string): Promise<string> {
  if (id === beforeAll) return '0';
  const [found] = isId(id) ? await on.run(findFeedPosition, [locationId, id]) : [];
  if (found !== undefined) return found.number;
  const since = await restoredSince(on, locationId, id);
  if (since !== undefined) {
    const begin = `begin with since=${since.toISOString()}`;
    const message = `after: the database was restored to a moment before this event; ${begin}`;
    throw new ApiError('cursor_not_restored', message, {
      fields: [{ path: 'after', message: begin }],
      since,
    });
  }
  throw unknownCursor();
}

/** The refusal of a cursor that no kept event of the location has. */
export const unknownCursor = (): ApiError =>
  invalid({
    path: 'after',
    message: 'is no event of this location, or one that is no longer kept',
    reason: 'unknown_cursor',
  });

const keptMs = 30 * 86_400_000;

/** The moment from which on the feed may have what a reader lacks whose last event went by a restore. */
async function restoredSince(on: Queryable, locationId: string, id: string): Promise<Date | undefined> {
  const captured = momentOf(id);
  if (captured === undefined || captured < Date.now() - keptMs) return undefined;
  const [restore] = await on.run(findRestore, [locationId, new Date(captured)]);
  return restore?.since ?? undefined;
}

/** When an event was captured, in Unix milliseconds: its id begins with it (UUIDv7). */
const momentOf = (id: string) =>
  isId(id) && id.charAt(14) === '7' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
