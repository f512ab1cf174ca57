import { beginSpan } from '@comanda/db';
import { initTRPC, type TRPCMutationProcedure, type TRPCQueryProcedure } from '@trpc/server';
import { z } from 'zod';
import { type Given, plainInput } from '../bodies/input.ts';
import type { Caller } from '../credentials/credentials.ts';
import { toApiError } from '../errors.ts';
import { call } from './call.ts';
import type { CallContext, JoinedCall, RequestContext } from './context.ts';
import type {
  Definition,
  Expecting,
  Keyed,
  NamedOperation,
  Omittable,
  Repeatable,
  Work,
} from './definition.ts';
import { errorData } from './error-data.ts';
import { refuseDeep } from './input.ts';
import type { OperationMeta } from './meta.ts';
import { inFamily } from './operations.ts';
import type { CallRequest } from './request.ts';
import { requestIds } from './request-id.ts';
import { finishCall } from './request-log.ts';
import type { TaggedTable } from './tags.ts';

/** The builders of procedures; operations by `operation()`, subscriptions by `subscription()`. */
export const trpc = initTRPC
  .context<RequestContext>()
  .meta<{ definition?: Definition; subscription?: unknown; keyless?: unknown }>()
  .create({
    isDev: false,
    sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
    errorFormatter({ error, shape, ctx }) {
      const refusal = toApiError(error);
      const data = errorData(refusal, ctx?.requestId ?? requestIds.getStore() ?? '');
      return { code: shape.code, message: refusal.message, data };
    },
  });

export const { router } = trpc;

/**
 * Starts the definition of an operation: its input and output follow, then its work as a query or as a mutation. Every
 * entrance takes a call the same way (call.ts). Work never repeats a check that the meta declares. Every mutation takes an idempotency key.
 */
export const operation = <const Meta extends OperationMeta>(
  meta: Meta,
): Draft<void, object, never, never, false, IsTagged<Meta>> => draft({ meta });

type IsTagged<Meta> = Meta extends { tag: TaggedTable } ? true : false;

/** The same for an operation that needs its key. */
export const idempotentOperation = (
  meta: Omit<OperationMeta, 'idempotent'>,
): Draft<void, object, never, never, true, false> => draft({ meta: { ...meta, idempotent: true } });

/** An operation that is being defined: what callers give, what its work gets and answers, what callers get. */
interface Draft<Given, Input, Answered, Output, NeedsKey extends boolean, Tagged extends boolean> {
  input<Schema extends z.ZodObject>(
    schema: Schema,
  ): Draft<z.input<Schema>, z.output<Schema>, Answered, Output, NeedsKey, Tagged>;
  output<Schema extends z.ZodType>(
    schema: Schema,
  ): Draft<Given, Input, z.input<Schema>, z.output<Schema>, NeedsKey, Tagged>;
  query(work: Work<CallContext, Input, Answered>): Query<Given, Output>;
  /** A query that reads together with other callers: it takes no slot, and gets no database. */
  joinedQuery(work: Work<JoinedCall, Input, Answered>): Query<Given, Output>;
  mutation(work: Work<CallContext, Input, Answered>): Mutation<Given, Output, NeedsKey, Tagged>;
  /** A mutation that writes together with other callers; what it cannot write so, it writes `inSlot`. */
  joinedMutation(work: Work<JoinedCall, Input, Answered>): Mutation<Given, Output, NeedsKey, Tagged>;
}

type Mutation<Given, Output, NeedsKey extends boolean, Tagged extends boolean> = TRPCMutationProcedure<{
  input: (NeedsKey extends true ? Keyed<Given> : Repeatable<Given>) & Expecting<Given, Tagged>;
  output: Output;
  meta: unknown;
}>;

type Query<Given, Output> = TRPCQueryProcedure<{ input: Omittable<Given>; output: Output; meta: unknown }>;

// The types of a draft are enforced by its schemas alone.
function draft<Given, Input, Answered, Output, NeedsKey extends boolean, Tagged extends boolean>(
  parts: Pick<Definition, 'meta'> & Partial<Pick<Definition, 'input' | 'output'>>,
): Draft<Given, Input, Answered, Output, NeedsKey, Tagged> {
  const { meta, input = z.object({}), output = z.never() } = parts;
  const serve = (work: unknown, joins: boolean) =>
    served({ meta, input, output, work: work as Definition['work'], joins });
  return {
    input: (schema) => draft({ ...parts, input: schema }),
    output: (schema) => draft({ ...parts, output: schema }),
    query: (work): never => serve(work, false).query(({ ctx }) => ctx.value) as never,
    joinedQuery: (work): never => serve(work, true).query(({ ctx }) => ctx.value) as never,
    mutation: (work): never => serve(work, false).mutation(({ ctx }) => ctx.value) as never,
    joinedMutation: (work): never => serve(work, true).mutation(({ ctx }) => ctx.value) as never,
  };
}

/** A call by tRPC itself: its adapters and `createCaller`. What the service serves goes past it (http/trpc). */
function served(definition: Definition) {
  const own = inFamily(definition, 'v2');
  return trpc.procedure.meta({ definition }).use(async ({ ctx, type, path, getRawInput, next }) => {
    const operation = { ...own, name: path, kind: type === 'query' ? 'query' : 'mutation' } as const;
    const request = trpcCall(ctx, operation, async () => {
      const input = await getRawInput();
      refuseDeep(input);
      return plainInput(input);
    });
    const outcome = await call(request);
    finishCall(request, outcome);
    if (outcome.refusal !== undefined) throw outcome.refusal;
    if (outcome.etag !== undefined) ctx.headers.ETag = outcome.etag;
    return next({ ctx: { value: JSON.parse(outcome.text ?? 'null') as unknown } });
  });
}

/** A call of the typed client; `read` gives its input, or the body with it. */
export function trpcCall(
  ctx: RequestContext,
  operation: NamedOperation,
  read: (caller: Caller) => Promise<Given['body']>,
): CallRequest {
  const { name, kind, meta } = operation;
  const { refusesUnknown: isStrict = false } = ctx;
  const span = beginSpan(name, 'server', ctx.traceparent, { 'rpc.system': 'trpc', 'rpc.method': name });
  return {
    ...ctx,
    traceparent: span.traceparent,
    refusesUnknown: isStrict || kind === 'query' || meta.strict === true,
    operation,
    entrance: 'trpc',
    method: kind,
    shown: `${kind} ${name}`,
    span,
    takesStreams: false,
    receive: async (caller) => ({ body: await read(caller), members: {}, key: 'in the input', isStrict }),
  };
}
