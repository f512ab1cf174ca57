import { initTRPC } from '@trpc/server';
import type { Caller } from '../credentials/credentials.ts';
import { toApiError } from '../errors.ts';
import type { Idempotency, RequestContext } from './context.ts';
import { answerText } from './idempotency.ts';
import { admit, conduct } from './journey.ts';
import type { OperationMeta } from './meta.ts';
import { requestIds } from './request-id.ts';
import { finishRequest } from './request-log.ts';

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
 * them: see http/rest/adapter.ts.
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

/**
 * The same for an operation that takes an `idempotencyKey`: a known key with the same body answers the original,
 * another body is a `conflict`; otherwise the operation gets `ctx.idempotency` to store its answer with.
 */
export function idempotentOperation(meta: Omit<OperationMeta, 'idempotent'>) {
  return operation({ ...meta, idempotent: true });
}

function finishCall(ctx: RequestContext, { apiKeyId, locationId }: Caller, path: string, type: string): void {
  const { app, requestId, entrance } = ctx;
  finishRequest(
    app,
    { requestId, entrance, method: type, status: 200, operation: path, apiKeyId, locationId },
    performance.now() - ctx.startedAt,
  );
}

// What tRPC takes for the result of a middleware that did not call next(): the rest is skipped.
function replayed(ctx: RequestContext, json: string) {
  const data = answerText<unknown>(ctx, json, true);
  const result: unknown = { ok: true, marker: 'middlewareMarker', ctx, data };
  return result;
}
