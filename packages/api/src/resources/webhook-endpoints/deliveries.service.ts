import { isId } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import type { Lookup } from '../../call/context.ts';
import { readPage } from '../../call/page-text.ts';
import { notFound } from '../../errors.ts';
import type { Page } from '../../wire.ts';
import { findEndpoint, listAttempts } from './deliveries.statements.ts';
import type { WebhookDelivery, WebhookDeliveryList } from './schema.ts';

/**
 * Lists the attempts to deliver to an endpoint, newest first. A failed attempt shows when the next one is due
 * as long as one is. Throws `resource_not_found`. Specification: Webhooks, deliveries.
 */
export async function listDeliveries(
  ctx: Lookup,
  input: WebhookDeliveryList,
): Promise<Answer<Page<WebhookDelivery>>> {
  const { id } = input;
  const [known] = isId(id) ? await ctx.app.database.run(findEndpoint, [ctx.caller.locationId, id]) : [];
  if (known === undefined) throw notFound('Webhook endpoint');
  const { statement, values } = listAttempts(input);
  return readPage(ctx, statement, input, values);
}
