import { isId, newId, type Transaction } from '@comanda/db';
import type { Answer } from '../../call/answer.ts';
import { actorOf } from '../../call/audit.ts';
import type { CallContext, Lookup } from '../../call/context.ts';
import { readPage } from '../../call/page-text.ts';
import { tagOfRow } from '../../call/tags.ts';
import { inTransaction } from '../../call/writing.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import type { Deleted, Page } from '../../wire.ts';
import { hiddenFrom, hiddenHeader, refuseHidden } from '../events/seen.rules.ts';
import { refuseHiddenCustomer, seesCustomer } from '../orders/service.ts';
import { checkWebhookUrl } from './address.rules.ts';
import { replayIn } from './replay.store.ts';
import type {
  RotateSecret,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointUpdate,
  WebhookEndpointWithSecret,
  WebhookReplay,
  WebhookReplayed,
  WebhookTest,
} from './schema.ts';
import * as sql from './statements.ts';
import { oneOf, rotateIn, withSecret } from './store.ts';

/** Endpoints at most, per location. */
const mostEndpoints = 50;

/** Lists endpoints, newest first. */
export const list = (
  ctx: Lookup,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<WebhookEndpoint>>> => readPage(ctx, sql.listEndpoints, paging);

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<WebhookEndpoint>> {
  return shown(await oneOf(id, () => ctx.app.database.run(sql.readEndpoint, [ctx.caller.locationId, id])));
}

/**
 * Registers an endpoint and makes its signing secret. The payloads it gets are those of the family it was made
 * through. Throws `validation_error` for an address that is not allowed, and for the 51st of a location, `permission_denied` for a
 * type that the key does not see, and for `include=customer`.
 */
export async function create(
  ctx: CallContext,
  input: WebhookEndpointCreate,
): Promise<Answer<WebhookEndpointWithSecret>> {
  refuseAddress(ctx, input.url);
  refuseHidden(ctx.caller, input.events);
  refuseHiddenCustomer(ctx, input.include);
  const { locationId } = ctx.caller;
  return inTransaction(ctx, async (tx) => {
    // Two creations at once would both count 49: the location's row lets them come one after the other.
    await tx.run(sql.holdLocation, [locationId]);
    const id = newId();
    const { url, events, include = [] } = input;
    const values = [locationId, id, url, events, ctx.apiVersion, mostEndpoints, include];
    const [made] = await tx.run(sql.insertEndpoint, values);
    if (made === undefined)
      throw invalid({
        path: '',
        message: `A location has at most ${mostEndpoints} webhook endpoints.`,
        reason: 'too_many_endpoints',
      });
    const value = await withSecret(tx, ctx.app.secrets, locationId, made.doc);
    return { value, isSecret: true, etag: tagOfRow(id, made.revision) };
  });
}

/**
 * Changes the fields that are present. Disabling drops what waits for the endpoint: the status decides at once,
 * Postgres has the worker clear the deliveries away. What is added, and everything where the address is another, is shown
 * to the consumer there: throws `permission_denied` for a type that the key does not see, and for `include=customer`. Throws
 * `resource_not_found`, `validation_error`.
 */
export async function update(
  ctx: CallContext,
  { id, ...changes }: WebhookEndpointUpdate,
): Promise<Answer<WebhookEndpoint>> {
  if (changes.url !== undefined) refuseAddress(ctx, changes.url);
  const { url = null, events = null, status = null, include = null } = changes;
  const values = [ctx.caller.locationId, id, url, events, status, include];
  return inTransaction(ctx, async (tx) => {
    // A certification that holds it down would enable it later.
    if (status !== null && ctx.caller.location.sandbox && isId(id))
      await tx.run(sql.letGo, [ctx.caller.locationId, id]);
    const mayShowMore = url !== null || events !== null || include !== null;
    if (mayShowMore && (hiddenFrom(ctx.caller).length > 0 || !seesCustomer(ctx))) {
      const { doc } = await oneOf(id, () => tx.run(sql.holdEndpoint, [ctx.caller.locationId, id]));
      const before: WebhookEndpoint = JSON.parse(doc);
      const isElsewhere = url !== null && url !== before.url;
      const after = events ?? before.events;
      refuseHidden(
        ctx.caller,
        after.filter((type) => isElsewhere || !before.events.includes(type)),
      );
      if (isElsewhere || !before.include?.includes('customer'))
        refuseHiddenCustomer(ctx, include ?? before.include);
    }
    return shown(await oneOf(id, () => tx.run(sql.updateEndpoint, values)));
  });
}

/** Deletes one at once; Postgres has the worker remove its deliveries. Throws `resource_not_found`. */
export async function remove(ctx: CallContext, id: string): Promise<Answer<Deleted>> {
  return inTransaction(ctx, async (tx) => {
    await oneOf(id, () => tx.run(sql.deleteEndpoint, [ctx.caller.locationId, id]));
    return { value: { id, deleted: true } };
  });
}

/** Makes a new signing secret; the old one signs as well for 24 hours, or no longer. Throws `resource_not_found`. */
export const rotateSecret = (
  ctx: CallContext,
  request: RotateSecret,
): Promise<Answer<WebhookEndpointWithSecret>> =>
  inTransaction(ctx, async (tx) => ({
    value: await rotateIn(tx, actorOf(ctx), ctx.app.secrets, request),
    isSecret: true,
  }));

/**
 * Sends events of a window to an endpoint again, except for the types that the key does not see: a header names those
 * of the endpoint. Throws what `replayIn` throws, `permission_denied` for a type that is asked for and hidden.
 */
export function replay(ctx: CallContext, request: WebhookReplay): Promise<Answer<WebhookReplayed>> {
  refuseHidden(ctx.caller, request.event_types ?? []);
  return inTransaction(ctx, async (tx) => ({
    value: await replayIn(tx, actorOf(ctx), await shownOf(tx, ctx, request)),
  }));
}

/**
 * The types that are replayed for a key that does not see every type. Its endpoint is held, so the types are those
 * that are replayed.
 */
async function shownOf(tx: Transaction, ctx: CallContext, request: WebhookReplay): Promise<WebhookReplay> {
  if (request.event_types !== undefined || hiddenFrom(ctx.caller).length === 0) return request;
  const { doc } = await oneOf(request.id, () =>
    tx.run(sql.holdEndpoint, [ctx.caller.locationId, request.id]),
  );
  const { events }: WebhookEndpoint = JSON.parse(doc);
  const hidden = hiddenFrom(ctx.caller, events);
  Object.assign(ctx.headers, hiddenHeader(hidden));
  return { ...request, event_types: events.filter((type) => !hidden.includes(type)) };
}

/**
 * Sends a test event to the endpoint alone, along the path that every event takes. Throws `resource_not_found`,
 * `conflict` for a disabled endpoint.
 */
export async function sendTest(ctx: CallContext, id: string): Promise<Answer<WebhookTest>> {
  const eventId = newId();
  const { locationId } = ctx.caller;
  return inTransaction(ctx, async (tx) => {
    const { doc } = await oneOf(id, () => tx.run(sql.readEndpoint, [locationId, id]));
    const endpoint: WebhookEndpoint = JSON.parse(doc);
    if (endpoint.status === 'disabled')
      throw conflict('endpoint_disabled', 'The endpoint is disabled; enable it first.');
    await tx.run(sql.captureTest, [locationId, id, eventId]);
    return { value: { event_id: eventId, type: 'webhook.test' } };
  });
}

/**
 * Lists the attempts to deliver to an endpoint, newest first. A failed attempt shows when the next one is due
 * as long as one is. Throws `resource_not_found`. Specification: Webhooks, deliveries.
 */
export async function listDeliveries(
  ctx: Lookup,
  input: WebhookDeliveryList,
): Promise<Answer<Page<WebhookDelivery>>> {
  const { id } = input;
  const [known] = isId(id) ? await ctx.app.database.run(sql.findEndpoint, [ctx.caller.locationId, id]) : [];
  if (known === undefined) throw notFound('Webhook endpoint');
  const { statement, values } = sql.listAttempts(input);
  return readPage(ctx, statement, input, values);
}

const shown = ({ id, doc, revision }: sql.EndpointText): Answer<WebhookEndpoint> => ({
  text: doc,
  etag: tagOfRow(id, revision),
});

function refuseAddress(ctx: CallContext, url: string): void {
  const { webhookTargets, webhookAllowCidrs } = ctx.app.policy;
  const checked = checkWebhookUrl(url, webhookTargets, webhookAllowCidrs);
  if (!checked.ok) throw invalid({ path: 'url', message: checked.reason, reason: 'address_refused' });
}
