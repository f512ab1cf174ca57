import { beginSpan, traceIdOf } from '@comanda/db';
import { initTRPC, type TRPCMutationProcedure, type TRPCQueryProcedure } from '@trpc/server';
import { z } from 'zod';
import type { Caller } from '../credentials/credentials.ts';
import { toApiError } from '../errors.ts';
import { JsonText, textOf, valueIn, wholeOf } from './answer.ts';
import { performGiven, readGiven } from './body-call.ts';
import type { CallContext, JoinedCall, RequestContext } from './context.ts';
import type { Definition, Expecting, Keyed, Omittable, Repeatable, Work } from './definition.ts';
import { errorData } from './error-data.ts';
import { admit } from './journey.ts';
import type { OperationMeta } from './meta.ts';
import { observing } from './observation.ts';
import { inFamily } from './operations.ts';
import { requestIds } from './request-id.ts';
import { finishRequest } from './request-log.ts';
import { beginSimulation } from './simulation.ts';
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
 * Starts the definition of an operation: its input and output follow, then its work as a query or as a mutation. Both
 * entrances take a call the same way: admission (credential, limits, permission), then `perform`. Work never repeats
 * a check that the meta declares. Every mutation takes an idempotency key.
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
  const shape = { meta, input, output };
  const validated =
    <Context>(work: Work<Context, Input, Answered>): Work<Context> =>
    (call) =>
      work({ ctx: call.ctx, input: call.input as Input });
  const serve = (work: Work<CallContext, Input, Answered>) => served({ ...shape, work: validated(work) });
  return {
    input: (schema) => draft({ ...parts, input: schema }),
    output: (schema) => draft({ ...parts, output: schema }),
    query: (work): never => serve(work).query(({ ctx }) => ctx.value) as never,
    joinedQuery: (work): never =>
      served({ ...shape, joinedWork: validated(work) }).query(({ ctx }) => ctx.value) as never,
    mutation: (work): never => serve(work).mutation(({ ctx }) => ctx.value) as never,
    joinedMutation: (work): never =>
      served({ ...shape, joinedWork: validated(work) }).mutation(({ ctx }) => ctx.value) as never,
  };
}

/** The way of a call from tRPC, which has the shape of v2. REST goes the same steps without tRPC around them: see http/rest/adapter.ts. */
function served(definition: Definition) {
  const own = inFamily(definition, 'v2');
  return trpc.procedure
    .meta({ definition })
    .use(async ({ ctx: called, type, path, batchIndex, getRawInput, next }) => {
      const span = beginSpan(path, 'server', called.traceparent, {
        'rpc.system': 'trpc',
        'rpc.method': path,
      });
      const ctx = { ...called, traceparent: span.traceparent };
      const call = () =>
        span.within(() =>
          answer(ctx, type, path, batchIndex, () => called.inputOf?.(batchIndex) ?? getRawInput()),
        );
      const value = await (called.inTurn?.(call) ?? call()).catch((error: unknown) => {
        span.end({}, error);
        throw error;
      });
      span.end();
      return next({ ctx: { value } });
    });

  async function answer(
    ctx: RequestContext,
    type: string,
    path: string,
    batchIndex: number,
    getRawInput: () => Promise<unknown>,
  ): Promise<unknown> {
    const caller = await admit(ctx, definition.meta);
    const kind = type === 'query' ? 'query' : 'mutation';
    await ctx.startBatch?.(caller.locationId);
    const operation = { ...own, name: path, kind } as const;
    const given = await readGiven(await getRawInput(), operation, ctx, caller);
    const value = await observing(
      ctx,
      caller,
      operation,
      () => ({
        request: `${kind} ${path}`,
        idempotencyKey: given.key === undefined ? undefined : String(given.key),
      }),
      async (fault, note): Promise<unknown> => {
        const simulation = beginSimulation(ctx, caller, operation, fault);
        const refusesUnknown =
          ctx.refusesUnknown === true || kind === 'query' || definition.meta.strict === true;
        const call = { ...ctx, caller, refusesUnknown, simulation };
        const answer = await performGiven(call, operation, given);
        if (answer.etag !== undefined) tellTag(ctx, batchIndex, answer.etag);
        // Said after the commit and from outside it: a NOTIFY inside the transaction serializes commits.
        if (kind === 'mutation') ctx.app.wakeRelay();
        if (answer.replayed) ctx.headers['Idempotency-Replayed'] = 'true';
        if (given.body !== undefined || (ctx.asText === true && !('stream' in answer))) {
          const text = textOf(answer, own.output);
          note?.({ text });
          return new JsonText(text);
        }
        const whole = 'stream' in answer ? wholeOf(answer.stream, own.output) : valueIn(answer);
        const value = own.output.parse(await whole);
        note?.({ value });
        return value;
      },
    );
    finishCall(ctx, caller, path, type);
    return value;
  }
}

// Calls of one request share its headers: in a batch each tag is named with the index of its call.
function tellTag({ headers, inTurn }: RequestContext, index: number, etag: string): void {
  if (inTurn === undefined) {
    headers.ETag = etag;
    return;
  }
  const before = headers['X-Entity-Tags'];
  headers['X-Entity-Tags'] = `${before === undefined ? '' : `${before}, `}${index}=${etag}`;
}

function finishCall(ctx: RequestContext, { apiKeyId, locationId }: Caller, path: string, type: string): void {
  const { app, requestId, traceparent, clientAddress } = ctx;
  const simulated = ctx.headers['X-Comanda-Simulated'];
  finishRequest(
    app,
    {
      requestId,
      traceId: traceIdOf(traceparent),
      entrance: 'trpc',
      method: type,
      status: 200,
      operation: path,
      apiKeyId,
      locationId,
      clientAddress,
      simulated,
    },
    performance.now() - ctx.startedAt,
  );
}
