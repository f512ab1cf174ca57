import type { Answer } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { type Page, wireTime } from '../../wire.ts';
import type { WebhookDelivery, WebhookDeliveryList } from './schema.ts';
import { find } from './service.ts';

/**
 * Lists the attempts to deliver to an endpoint, newest first. A failed attempt shows when the next one is due
 * as long as one is. Throws `resource_not_found`. Specification: Webhooks, deliveries.
 */
export async function listDeliveries(
  ctx: CallContext,
  { id, limit, offset, status, event_type }: WebhookDeliveryList,
): Promise<Answer<Page<WebhookDelivery>>> {
  const endpoint = await find(ctx, ctx.app.database.prisma, id);
  const where = {
    locationId: ctx.caller.locationId,
    endpointId: id,
    ...(status && { status }),
    ...(event_type !== undefined && { eventType: event_type }),
  };
  const [total, found] = await ctx.reads.prisma(
    ({ webhookAttempt }) => webhookAttempt.count({ where }),
    ({ webhookAttempt }) =>
      webhookAttempt.findMany({
        where,
        include: {
          delivery: { select: { attempts: true, status: true, nextAttemptAt: true, number: true } },
        },
        orderBy: [{ attemptedAt: 'desc' }, { id: 'desc' }],
        skip: offset,
        take: limit,
      }),
  );
  const { timezone } = ctx.caller.location;
  const data = found.map((row): WebhookDelivery => {
    const { delivery } = row;
    const waits =
      endpoint.status === 'active' &&
      delivery.number > endpoint.deliversAfter &&
      delivery.status === 'failed' &&
      delivery.attempts === row.attempt;
    const next = waits ? delivery.nextAttemptAt : null;
    return {
      id: row.id,
      event_id: row.eventId,
      event_type: row.eventType,
      attempt: row.attempt,
      status: row.status as WebhookDelivery['status'],
      ...(row.responseCode !== null && { response_code: row.responseCode }),
      ...(row.error !== null && { error: row.error }),
      duration_ms: row.durationMs,
      attempted_at: wireTime(row.attemptedAt, timezone),
      ...(next !== null && { next_attempt_at: wireTime(next, timezone) }),
    };
  });
  return { value: { data, pagination: { limit, offset, total } } };
}
