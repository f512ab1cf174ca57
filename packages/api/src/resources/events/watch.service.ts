import type { CallContext } from '../../request/context.ts';
import type { PlacedStream } from '../../request/subscription.ts';
import type { EventWatch } from './schema.ts';
import { positionAfter } from './service.ts';

/**
 * Opens a stream of the events of the caller's location from a place of the feed on: behind the event that was read last,
 * or from now on. Throws `validation_error` as the feed does, 429 where too many streams are open.
 */
export async function watch(
  ctx: CallContext,
  { after, lastEventId, types }: EventWatch,
): Promise<PlacedStream> {
  const { app, authorization, caller } = ctx;
  const { id, number } = await positionAfter(ctx, lastEventId ?? after ?? 'latest');
  const stream = await app.live.open({
    ...{ apiKeyId: caller.apiKeyId, locationId: caller.locationId, authorization, permission: 'events:read' },
    after: Number(number),
    types: types === undefined ? undefined : [...new Set(types)],
  });
  return { ...stream, behind: id };
}
