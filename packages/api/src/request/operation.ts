import { initTRPC, type TRPCMutationProcedure, type TRPCQueryProcedure } from '@trpc/server';
import { z } from 'zod';
import type { Caller } from '../credentials/credentials.ts';
import { toApiError } from '../errors.ts';
import { type Answer, valueIn } from './answer.ts';
import type { CallContext, RequestContext } from './context.ts';
import type { Definition, Keyed, Repeatable } from './definition.ts';
import { admit, perform } from './journey.ts';
import type { OperationMeta } from './meta.ts';
import { requestIds } from './request-id.ts';
import { finishRequest } from './request-log.ts';

const t = initTRPC
  .context<RequestContext>()
  .meta<{ definition: Definition }>()
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
 * Starts the definition of an operation: its input and output follow, then its work as a query or as a mutation. Both
 * entrances take a call the same way: admission (credential, limits, permission), then `perform`. What the meta says,
 * no work repeats. Every mutation takes an idempotency key.
 */
export const operation = (meta: OperationMeta): Draft<void, object, never, never, false> => draft({ meta });

/** The same for an operation that needs its key. */
export const idempotentOperation = (
  meta: Omit<OperationMeta, 'idempotent'>,
): Draft<void, object, never, never, true> => draft({ meta: { ...meta, idempotent: true } });

/** An operation that is being defined: what callers give, what its work gets and answers, what callers get. */
interface Draft<Given, Input, Answered, Output, NeedsKey extends boolean> {
  input<Schema extends z.ZodObject>(
    schema: Schema,
  ): Draft<z.input<Schema>, z.output<Schema>, Answered, Output, NeedsKey>;
  output<Schema extends z.ZodType>(
    schema: Schema,
  ): Draft<Given, Input, z.input<Schema>, z.output<Schema>, NeedsKey>;
  query(work: Work<Input, Answered>): TRPCQueryProcedure<{ input: Given; output: Output; meta: unknown }>;
  mutation(work: Work<Input, Answered>): TRPCMutationProcedure<{
    input: NeedsKey extends true ? Keyed<Given> : Repeatable<Given>;
    output: Output;
    meta: unknown;
  }>;
}

type Work<Input, Answered> = (call: {
  ctx: CallContext;
  input: Input;
}) => Answer<Answered> | Promise<Answer<Answered>>;

// What the types of a draft say, only its schemas hold.
function draft<Given, Input, Answered, Output, NeedsKey extends boolean>(
  parts: Pick<Definition, 'meta'> & Partial<Definition>,
): Draft<Given, Input, Answered, Output, NeedsKey> {
  const { meta, input = z.object({}), output = z.never() } = parts;
  const serve = (work: Work<Input, Answered>) =>
    served({ meta, input, output, work: (call) => work({ ctx: call.ctx, input: call.input as Input }) });
  return {
    input: (schema) => draft({ ...parts, input: schema }),
    output: (schema) => draft({ ...parts, output: schema }),
    query: (work): never => serve(work).query(({ ctx }) => ctx.value) as never,
    mutation: (work): never => serve(work).mutation(({ ctx }) => ctx.value) as never,
  };
}

/** The way of a call from tRPC. REST goes the same steps without tRPC around them: see http/rest/adapter.ts. */
function served(definition: Definition) {
  return t.procedure.meta({ definition }).use(async ({ ctx, type, path, getRawInput, next }) => {
    const caller = await admit(ctx, definition.meta);
    const kind = type === 'query' ? 'query' : 'mutation';
    const { input, key } = withoutKey(await getRawInput());
    const answer = await perform(
      { ...ctx, caller, reads: ctx.app.reads, refusesUnknown: kind === 'query' },
      { ...definition, name: path, kind },
      input,
      { name: 'idempotencyKey', key: kind === 'mutation' ? key : undefined },
    );
    // Said after the commit and from outside it: a NOTIFY inside the transaction serialises commits.
    if (kind === 'mutation') ctx.app.wakeRelay();
    if (answer.replayed) ctx.headers['Idempotency-Replayed'] = 'true';
    const value: unknown = definition.output.parse(await valueIn(answer));
    finishCall(ctx, caller, path, type);
    return next({ ctx: { value } });
  });
}

function withoutKey(raw: unknown): { input: unknown; key: unknown } {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return { input: raw ?? {}, key: undefined };
  const { idempotencyKey: key, ...input } = raw as Record<string, unknown>;
  return { input, key };
}

function finishCall(ctx: RequestContext, { apiKeyId, locationId }: Caller, path: string, type: string): void {
  const { app, requestId } = ctx;
  finishRequest(
    app,
    { requestId, entrance: 'trpc', method: type, status: 200, operation: path, apiKeyId, locationId },
    performance.now() - ctx.startedAt,
  );
}
