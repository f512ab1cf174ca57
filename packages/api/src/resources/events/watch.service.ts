import type { PlacedStream, WatchContext } from '../../call/subscription.ts';
import type { Caller } from '../../credentials/credentials.ts';
import { ApiError, toApiError } from '../../errors.ts';
import { grants } from '../../permissions.ts';
import type { EventWatch } from './schema.ts';
import { hiddenFrom, hiddenHeader, refuseHidden, shownTo } from './seen.rules.ts';
import { positionAfter } from './service.ts';
import type { EventType } from './types.schema.ts';

/**
 * Opens a stream of the events of the caller's location from a place of the feed on: behind the event that was read last,
 * or from now on. Types that the key does not see are left out, and named in a header. Throws `validation_error` as the feed
 * does, `permission_denied` for a type that is asked for and hidden, 429 where too many streams are open.
 */
export async function watch(
  ctx: WatchContext,
  { after, lastEventId, types: asked }: EventWatch,
): Promise<PlacedStream> {
  const { app, authorization, caller } = ctx;
  const { types, hidden } = shownTo(caller, asked);
  Object.assign(ctx.headers, hiddenHeader(hidden));
  const { id, number } = await positionAfter(ctx, lastEventId ?? after ?? 'latest');
  const stream = await app.live.open({
    apiKeyId: caller.apiKeyId,
    locationId: caller.locationId,
    authorization,
    after: Number(number),
    types,
    judge: (key) => judged(caller, key, asked),
  });
  return { ...stream, behind: id };
}

/** A stream of every type that its key saw has ended when the key sees others: a client that reconnects gets these. */
function judged(opener: Caller, key: Caller, asked: readonly EventType[] | undefined) {
  if (key.locationId !== opener.locationId || !grants(key.granted, 'events:read'))
    return new ApiError('permission_missing', 'The key lacks the permission events:read.');
  if (asked === undefined) return hiddenFrom(key).join() === hiddenFrom(opener).join() ? 'goes on' : 'over';
  try {
    refuseHidden(key, asked);
    return 'goes on';
  } catch (error) {
    return toApiError(error);
  }
}
