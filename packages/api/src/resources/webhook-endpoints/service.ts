import { isId, newId, newSigningSecret, type PrismaTransaction, type rows } from '@comanda/db';
import { conflict, invalid, notFound } from '../../errors.ts';
import type { Answer } from '../../request/answer.ts';
import type { CallContext } from '../../request/context.ts';
import { inPrismaStatement, inPrismaTransaction } from '../../request/writing.ts';
import { type Deleted, type Page, wireTime } from '../../wire.ts';
import { checkWebhookUrl } from './address.ts';
import type {
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointUpdate,
  WebhookEndpointWithSecret,
  WebhookTest,
} from './schema.ts';

/** Endpoints at most, per location. */
const mostEndpoints = 50;

/** Lists endpoints, newest first. */
export async function list(
  ctx: CallContext,
  paging: { limit: number; offset: number },
): Promise<Answer<Page<WebhookEndpoint>>> {
  const where = { locationId: ctx.caller.locationId };
  const [total, found] = await ctx.reads.prisma(
    ({ webhookEndpoint }) => webhookEndpoint.count({ where }),
    ({ webhookEndpoint }) =>
      webhookEndpoint.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        skip: paging.offset,
        take: paging.limit,
      }),
  );
  return { value: { data: found.map((row) => toEndpoint(ctx, row)), pagination: { ...paging, total } } };
}

/** Reads one. Throws `resource_not_found`. */
export async function get(ctx: CallContext, id: string): Promise<Answer<WebhookEndpoint>> {
  return { value: toEndpoint(ctx, await find(ctx, ctx.app.database.prisma, id)) };
}

/**
 * Registers an endpoint and makes its signing secret. The payloads it gets are those of the family it was made
 * through. Throws `validation_error` for an address that is not allowed, and for the 51st of a location.
 */
export async function create(
  ctx: CallContext,
  input: WebhookEndpointCreate,
): Promise<Answer<WebhookEndpointWithSecret>> {
  refuseAddress(ctx, input.url);
  const { locationId } = ctx.caller;
  return inPrismaTransaction(ctx, async (tx) => {
    // Two creations at once would both count 49: the location's row makes them take turns.
    await tx.$queryRaw`select id from locations where id = ${locationId}::uuid for no key update`;
    if ((await tx.webhookEndpoint.count({ where: { locationId } })) >= mostEndpoints) {
      throw invalid({ path: '', message: `A location has at most ${mostEndpoints} webhook endpoints.` });
    }
    const row = await tx.webhookEndpoint.create({
      data: { locationId, id: newId(), url: input.url, events: input.events, apiVersion: ctx.apiVersion },
    });
    return { value: { ...toEndpoint(ctx, row), secret: await addSecret(ctx, tx, row.id) }, isSecret: true };
  });
}

/**
 * Changes the fields that are present. Disabling drops what waits for the endpoint: the status decides at once, Postgres
 * has the worker clear the deliveries away.
 * Throws `resource_not_found`, `validation_error`.
 */
export async function update(
  ctx: CallContext,
  { id, ...changes }: WebhookEndpointUpdate,
): Promise<Answer<WebhookEndpoint>> {
  if (changes.url !== undefined) refuseAddress(ctx, changes.url);
  const { url, events, status } = changes;
  return inPrismaTransaction(ctx, async (tx) => {
    const current = await find(ctx, tx, id);
    if (url === undefined && events === undefined && status === undefined)
      return { value: toEndpoint(ctx, current) };
    const [row] = await tx.webhookEndpoint.updateManyAndReturn({
      where: { locationId: ctx.caller.locationId, id },
      data: { ...(url !== undefined && { url }), ...(events && { events }), ...(status && { status }) },
    });
    if (row === undefined) throw notFound('Webhook endpoint');
    return { value: toEndpoint(ctx, row) };
  });
}

/** Deletes one at once; Postgres has the worker remove its deliveries. Throws `resource_not_found`. */
export async function remove(ctx: CallContext, id: string): Promise<Answer<Deleted>> {
  if (!isId(id)) throw notFound('Webhook endpoint');
  return inPrismaStatement(ctx, async ({ webhookEndpoint }) => {
    const { count } = await webhookEndpoint.deleteMany({ where: { locationId: ctx.caller.locationId, id } });
    if (count === 0) throw notFound('Webhook endpoint');
    return { value: { id, deleted: true } };
  });
}

/** Makes a new signing secret; the old one signs beside it for 24 hours. Throws `resource_not_found`. */
export async function rotateSecret(ctx: CallContext, id: string): Promise<Answer<WebhookEndpointWithSecret>> {
  const { locationId } = ctx.caller;
  return inPrismaTransaction(ctx, async (tx) => {
    // Its row is held: of two rotations at once the second sees the secret of the first.
    if (isId(id)) {
      await tx.$queryRaw`select id from webhook_endpoints
        where location_id = ${locationId}::uuid and id = ${id}::uuid for no key update`;
    }
    const row = await find(ctx, tx, id);
    // By the clock that judges it, not by this process's.
    await tx.$executeRaw`update internal.webhook_secrets set expires_at = now() + interval '24 hours'
      where location_id = ${locationId}::uuid and endpoint_id = ${id}::uuid and expires_at is null`;
    return { value: { ...toEndpoint(ctx, row), secret: await addSecret(ctx, tx, id) }, isSecret: true };
  });
}

/**
 * Sends a test event to the endpoint alone, along the path that every event takes. Throws `resource_not_found`,
 * `conflict` for a disabled endpoint.
 */
export async function sendTest(ctx: CallContext, id: string): Promise<Answer<WebhookTest>> {
  const eventId = newId();
  const { locationId } = ctx.caller;
  return inPrismaTransaction(ctx, async (tx) => {
    const endpoint = await find(ctx, tx, id);
    if (endpoint.status === 'disabled') throw conflict('The endpoint is disabled; enable it first.');
    // Not through Prisma, which would take this process's clock for the time of the event.
    await tx.$executeRaw`insert into internal.captured_changes (location_id, resource, operation, resource_ids, after)
      values (${locationId}::uuid, 'webhook_endpoint', 'test', array[${id}::uuid],
        array[jsonb_build_object('event_id', ${eventId}::text)])`;
    return { value: { event_id: eventId, type: 'webhook.test' } };
  });
}

/** The row of an endpoint. Throws `resource_not_found`. */
export async function find(
  ctx: CallContext,
  on: Pick<PrismaTransaction, 'webhookEndpoint'>,
  id: string,
): Promise<rows.WebhookEndpoint> {
  const locationId_id = { locationId: ctx.caller.locationId, id };
  const row = isId(id) ? await on.webhookEndpoint.findUnique({ where: { locationId_id } }) : null;
  if (row === null) throw notFound('Webhook endpoint');
  return row;
}

async function addSecret(ctx: CallContext, tx: PrismaTransaction, endpointId: string): Promise<string> {
  const secret = newSigningSecret();
  const { locationId } = ctx.caller;
  const { keyId, sealed } = ctx.app.secrets.seal(secret, { locationId, endpointId });
  await tx.webhookSecret.create({
    data: {
      locationId,
      endpointId,
      encryptionKeyId: keyId,
      sealed: new Uint8Array(sealed),
    },
  });
  return secret;
}

function refuseAddress(ctx: CallContext, url: string): void {
  const { webhookTargets, webhookAllowCidrs } = ctx.app.policy;
  const checked = checkWebhookUrl(url, webhookTargets, webhookAllowCidrs);
  if (!checked.ok) throw invalid({ path: 'url', message: checked.reason });
}

function toEndpoint(ctx: CallContext, row: rows.WebhookEndpoint): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    events: row.events as WebhookEndpoint['events'],
    status: row.status,
    created_at: wireTime(row.createdAt, ctx.caller.location.timezone),
  };
}
