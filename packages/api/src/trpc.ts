import { initTRPC } from '@trpc/server';
import { batchHeaders } from './batch.ts';
import { inPlace } from './bulkhead.ts';
import type { CallContext, Idempotency, RequestContext } from './context.ts';
import type { Caller } from './credentials/credentials.ts';
import { ApiError, type ErrorCode, toApiError } from './errors.ts';
import { answerText, findAnswer, readIdempotency } from './idempotency.ts';
import { grants, type Permission } from './permissions.ts';
import type { CallKind } from './places.ts';
import { refuseUnreadable, refuseUnstorable } from './readable.ts';
import { requestIds } from './request-id.ts';
import { finishRequest } from './request-log.ts';

/** A documented REST path of an operation, as the specification writes it. */
export type RestRoute = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${'v1' | 'v2'}/${string}`;

/** Everything about an operation that is data: entrances, documents, tests and limits all read it here. */
export interface OperationMeta {
  /** What a key must hold; null when any valid key will do. */
  permission: Permission | null;
  /** One line for the documents. */
  summary: string;
  description?: string;
  /** Where REST serves it; none for the typed client's own. */
  rest?: readonly RestRoute[];
  /** The status of success: 200 unless said. 201 adds `Location`. */
  status?: 200 | 201 | 202;
  /** The output is `{ data, pagination }` and is sent as it is. */
  list?: boolean;
  /** Takes `updated_since` and `cursor`; the answer to these carries a `Link` to the next page. */
  changes?: boolean;
  /** Takes `idempotencyKey`, which REST reads from the `Idempotency-Key` header. */
  idempotent?: boolean;
  /** Counts against the batch limits once it starts; its body may have 8 MiB. */
  batch?: boolean;
  /** The answer carries an `ETag`; REST answers 304 to a caller whose `If-None-Match` names it. */
  conditional?: boolean;
  /** Reads together with other callers, on one connection for all: it takes no place, but for what it does beyond. */
  joined?: boolean;
  /** Error codes beyond those that every operation can answer. */
  errors?: readonly Extract<ErrorCode, 'resource_not_found' | 'conflict'>[];
}

const t = initTRPC
  .context<RequestContext>()
  .meta<OperationMeta>()
  .create({
    isDev: false,
    errorFormatter({ error, shape, ctx }) {
      const { reason, status, message } = toApiError(error);
      const data = {
        code: reason,
        httpStatus: status,
        requestId: ctx?.requestId ?? requestIds.getStore() ?? '',
      };
      return { code: shape.code, message, data };
    },
  });

export const { router } = t;

/**
 * Starts the definition of an operation: admission (credential, limits, permission), then `conduct`, then whatever
 * `.input(...)` validates. What the meta says, no procedure repeats. REST goes the same steps without tRPC between
 * them: see rest/adapter.ts.
 */
export function operation(meta: OperationMeta) {
  return t.procedure.meta(meta).use(async ({ ctx, type, path, getRawInput, next }) => {
    const caller = ctx.caller ?? (await admit(ctx, meta));
    const { reads } = ctx.app;
    const work = async (idempotency: Idempotency | undefined) => {
      const done = await next({ ctx: { caller, reads, idempotency } });
      if (!done.ok) throw done.error;
      return done;
    };
    const kind = type === 'query' ? 'query' : 'mutation';
    const result = await conduct({ ...ctx, caller, reads }, { name: path, kind, meta }, await getRawInput(), {
      work,
      replay: (json) => replayed(ctx, json) as ReturnType<typeof work>,
    });
    // Said after the commit and from outside it: a NOTIFY inside the transaction serialises commits.
    if (type === 'mutation') ctx.app.wakeRelay();
    // A failure is told by its entrance, and REST tells the rest too.
    if (ctx.entrance === 'trpc') finishCall(ctx, caller, path, type);
    return result;
  });
}

/** `orders` of `orders.create` and of `v1.orders.create`. */
function resourceOf(path: string): string {
  const name = path.startsWith('v1.') ? path.slice(3) : path;
  return name.slice(0, name.indexOf('.'));
}

/**
 * The same for an operation that takes an `idempotencyKey`: a known key with the same body answers the original,
 * another body is a `conflict`; otherwise the operation gets `ctx.idempotency` to store its answer with.
 */
export function idempotentOperation(meta: Omit<OperationMeta, 'idempotent'>) {
  return operation({ ...meta, idempotent: true });
}

/** What a call does once it has its place. */
interface Course<Result> {
  /** The operation's own work; `idempotency` is what it stores its answer with. */
  work(idempotency: Idempotency | undefined): Result | Promise<Result>;
  /** Answers with the JSON text of an earlier call with the same key. */
  replay(json: string): Result | Promise<Result>;
}

/**
 * Runs an admitted call in its place among the others, after what precedes the validation of its input. Throws
 * `invalid_request` for one that nests too deep, `validation_error` for text that cannot be stored and for a missing
 * key, `conflict` for a key that came with another body, 503 when there is no place.
 */
export async function conduct<Result>(
  ctx: CallContext,
  { name, kind, meta }: { name: string; kind: CallKind; meta: OperationMeta },
  raw: unknown,
  { work, replay }: Course<Result>,
): Promise<Result> {
  refuseUnreadable(raw);
  if (!meta.idempotent) refuseUnstorable(raw);
  const { inFlight, bulkhead } = ctx.app;
  const { locationId } = ctx.caller;
  const leaveProcess = inFlight.enter(locationId);
  try {
    if (meta.joined) return await work(undefined);
    return await inPlace(bulkhead, { locationId, resource: resourceOf(name), kind }, () =>
      meta.idempotent
        ? workOnce(ctx, readIdempotency(ctx, name, raw), raw, { work, replay })
        : work(undefined),
    );
  } finally {
    leaveProcess();
  }
}

// Where the operation writes, it finds a known key by itself. A repeat may be refused before it comes there (the first
// took the last of the stock): so no refusal is told before the key was looked for.
async function workOnce<Result>(
  ctx: CallContext,
  idempotency: Idempotency,
  raw: unknown,
  { work, replay }: Course<Result>,
): Promise<Result> {
  try {
    refuseUnstorable(raw);
    return await work(idempotency);
  } catch (error) {
    if (toApiError(error).status >= 500) throw error;
    const answer = await findAnswer(ctx.app.database, ctx, idempotency);
    if (answer === undefined) throw error;
    return replay(answer);
  }
}

function finishCall(ctx: RequestContext, { apiKeyId, locationId }: Caller, path: string, type: string): void {
  const { app, requestId, entrance } = ctx;
  finishRequest(
    app,
    { requestId, entrance, method: type, status: 200, operation: path, apiKeyId, locationId },
    performance.now() - ctx.startedAt,
  );
}

/**
 * Admits a request: credential, then request limit, then permission, in this order. Sets the limit headers
 * on the reply. Throws `unauthorized`, `rate_limited` or `permission_denied`. A refused credential touches
 * nothing, an exhausted limit costs next to nothing.
 */
export async function admit(ctx: RequestContext, meta: OperationMeta): Promise<Caller> {
  const known = ctx.app.credentials.authenticate(ctx.authorization);
  const caller = known instanceof Promise ? await known : known;
  const counted = ctx.app.limiter.admit(caller);
  Object.assign(ctx.reply.headers, counted instanceof Promise ? await counted : counted);
  if (meta.batch) Object.assign(ctx.reply.headers, await batchHeaders(ctx.app, caller));
  if (meta.permission !== null && !grants(caller.granted, meta.permission)) {
    throw new ApiError('permission_denied', `The key lacks the permission ${meta.permission}.`);
  }
  return caller;
}

// What tRPC takes for the result of a middleware that did not call next(): the rest is skipped.
function replayed(ctx: RequestContext, json: string) {
  const data = answerText<unknown>(ctx, json, true);
  const result: unknown = { ok: true, marker: 'middlewareMarker', ctx, data };
  return result;
}
