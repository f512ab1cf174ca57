import { type AnyRouter, type TRPCSubscriptionProcedure, tracked } from '@trpc/server';
import type { z } from 'zod';
import { inSlot } from '../capacity/slots.ts';
import type { Caller } from '../credentials/credentials.ts';
import { fromZod } from '../errors.ts';
import type { Stream } from '../live/live.ts';
import type { Permission } from '../permissions.ts';
import { admit, waitApart } from './call.ts';
import type { CallContext, RequestContext } from './context.ts';
import { refuseDeep } from './input.ts';
import { observingStream } from './observation.ts';
import { trpc } from './operation.ts';
import { finishRequest } from './request-log.ts';
import { beginSimulation } from './simulation.ts';
import { refuseUnknown, unknownFields } from './unknown-fields.ts';

/** Data about a subscription: entrances and documents read it here. */
export interface SubscriptionMeta {
  permission: Permission;
  /** One line for the documents. */
  summary: string;
  description: string;
  /** As of an operation. */
  hidesEventTypes?: true;
  /** Where REST serves it, as server-sent events. */
  rest: `GET /v2/${string}`;
}

/** A subscription of the router. */
export interface Subscription {
  /** `events.watch` */
  name: string;
  meta: SubscriptionMeta;
  input: z.ZodObject;
  /** Opens the stream of an admitted call; the entrance closes it. */
  open(call: { ctx: WatchContext; input: unknown }): Promise<PlacedStream>;
}

/** The context of a subscription: it is opened in the server's own thread. */
export type WatchContext = CallContext & Pick<RequestContext, 'app' | 'authorization'>;

/** A stream, and the id of the event that it begins behind. */
export interface PlacedStream extends Stream {
  behind: string;
}

type SubscriptionDefinition = Omit<Subscription, 'name'>;

/** An event as a subscription yields it: its id, from which the client goes on by itself, and its data. */
type Yielded<Output> = AsyncIterable<
  [id: string & { __brand: 'TrackedEnvelopeId' }, data: Output, mark: symbol]
>;

/**
 * Defines a subscription: a call that is admitted as all are, counts as one request, and then holds neither a slot nor a
 * connection to the database. `Output` is what each event is once it is read.
 */
export function subscription<Schema extends z.ZodObject, Output>(
  meta: SubscriptionMeta,
  schema: Schema,
  open: (call: { ctx: WatchContext; input: z.output<Schema> }) => Promise<PlacedStream>,
): TRPCSubscriptionProcedure<{ input: z.input<Schema>; output: Yielded<Output>; meta: unknown }> {
  const definition: SubscriptionDefinition = {
    meta,
    input: schema,
    open: ({ ctx, input }) => open({ ctx, input: input as z.output<Schema> }),
  };
  const procedure = trpc.procedure
    .meta({ subscription: definition })
    .input((raw) => raw)
    .subscription(async ({ ctx, input, path, signal }) => {
      const opening = openStream(ctx, { name: path, ...definition }, () => input ?? {}).then((opened) => {
        const { stream } = opened;
        // An abort from before is not signaled again.
        if (signal?.aborted) stream.close();
        signal?.addEventListener('abort', () => stream.close(), { once: true });
        return opened;
      });
      // The headers of the answer are those of the opening. A refusal is the stream's one event.
      await opening.catch(() => {});
      return eventsOf<Output>(ctx, path, opening);
    });
  return procedure as never;
}

async function* eventsOf<Output>(ctx: RequestContext, path: string, opening: Promise<Opened>) {
  const { stream, caller } = await opening;
  try {
    finishOpening(ctx, caller, path, 'trpc');
    for (let news = await stream.next(); news !== undefined; news = await stream.next())
      for (const { id, body } of news) yield tracked(id, JSON.parse(body) as Output);
  } finally {
    stream.close();
  }
}

interface Opened {
  stream: PlacedStream;
  caller: Caller;
}

/**
 * Admits a call and opens its stream. Throws what admission throws, `validation_error` for an input that does not fit or
 * is unknown, 429 where too many are open, and what a simulated fault is.
 */
export async function openStream(
  ctx: RequestContext,
  { name, meta, input, open }: Subscription,
  rawInput: () => unknown,
): Promise<Opened> {
  const caller = await admit(ctx, meta);
  const simulation = beginSimulation(ctx, caller, { name, kind: 'subscription' });
  const raw = rawInput();
  refuseDeep(raw);
  const read = input.safeParse(raw);
  if (!read.success) throw fromZod(read.error);
  const unknown = unknownFields(raw, read.data);
  if (unknown.length > 0) refuseUnknown(unknown, Object.keys(input.shape));
  const { locationId } = caller;
  if (simulation?.fault === 'slow') await waitApart(ctx.app.capacity, locationId, simulation.seconds);
  const slot = { locationId, resource: 'events', kind: 'query' } as const;
  const call = { ctx: { ...ctx, caller, slot }, input: read.data };
  const stream = await inSlot(ctx.app.capacity.slots, slot, () => open(call));
  if (simulation?.fault === 'stream_cut') setTimeout(ctx.cut, simulation.seconds * 1_000).unref();
  return { stream: observingStream(ctx, caller, stream), caller };
}

/** A stream counts as one request, which is answered once it is open. */
export function finishOpening(
  { app, requestId, startedAt, clientAddress, headers }: RequestContext,
  { apiKeyId, locationId }: Caller,
  operation: string,
  entrance: 'rest' | 'trpc',
): void {
  const method = entrance === 'rest' ? 'GET' : 'subscription';
  const line = { requestId, entrance, method, status: 200, operation, apiKeyId, locationId, clientAddress };
  const simulated = headers['X-Comanda-Simulated'];
  finishRequest(app, { ...line, simulated }, performance.now() - startedAt);
}

/** Every subscription of the router. */
export function subscriptionsOf(router: AnyRouter): Subscription[] {
  const procedures = router._def.procedures as Record<
    string,
    { _def: { type: string; meta?: { subscription?: SubscriptionDefinition } } }
  >;
  return Object.entries(procedures).flatMap(([name, { _def }]) => {
    const definition = _def.meta?.subscription;
    return definition === undefined ? [] : { name, ...definition };
  });
}
