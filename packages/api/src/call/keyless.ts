import type { AnyRouter, TRPCMutationProcedure } from '@trpc/server';
import type { z } from 'zod';
import { type Input, plainInput } from '../bodies/input.ts';
import { ApiError, fromZod, toApiError } from '../errors.ts';
import type { RequestContext } from './context.ts';
import type { Repeatable } from './definition.ts';
import { refuseDeep, refuseUnstorable } from './input.ts';
import { trpc } from './operation.ts';
import type { Outcome } from './request.ts';
import { finishRefused, finishRequest } from './request-log.ts';
import { refuseSimulation } from './simulation.ts';

/** The location and key of a call without a key. */
interface Known<Value> {
  value: Value;
  apiKeyId: string;
  locationId: string;
}

/** A call that needs no key, as data for the typed client. */
export interface Keyless {
  /** `appCodes.redeem` */
  name: string;
  meta: { summary: string; description: string };
  input: z.ZodObject;
  output: z.ZodType;
  work(ctx: RequestContext, input: unknown): Promise<Known<unknown>>;
}

/**
 * Defines the one kind of call that needs no key: one that gives a key, and one that ends it. It is the typed client's
 * alone, takes no idempotency key, and is outside of limits that are counted by key: its work bounds its own use.
 */
export function keyless<Schema extends z.ZodObject, Answer extends z.ZodType>(
  meta: Keyless['meta'],
  input: Schema,
  output: Answer,
  work: (ctx: RequestContext, input: z.output<Schema>) => Promise<Known<z.output<Answer>>>,
): TRPCMutationProcedure<{
  input: Repeatable<z.input<Schema>>;
  output: z.output<Answer>;
  meta: unknown;
}> {
  const definition = { meta, input, output, work: work as Keyless['work'] };
  const procedure = trpc.procedure
    .meta({ keyless: definition })
    .input((raw) => raw)
    .mutation(async ({ ctx, input: raw, path }) => {
      const outcome = await callKeyless(ctx, { ...definition, name: path }, async () => {
        refuseDeep(raw);
        return plainInput(raw);
      });
      if (outcome.refusal !== undefined) throw outcome.refusal;
      return JSON.parse(outcome.text ?? 'null') as unknown;
    });
  return procedure as never;
}

/** Answers a call that needs no key. Never rejects. */
export async function callKeyless(
  ctx: RequestContext,
  { name, input, output, work }: Keyless,
  read: () => Promise<Input>,
): Promise<Outcome> {
  const { app, requestId, startedAt } = ctx;
  try {
    const given = await read();
    if (app.policy.app === 'off') throw new ApiError('unknown_path', 'The app is not served here (APP=off).');
    refuseSimulation(ctx);
    refuseUnstorable(given);
    const parsed = input.safeParse(given.exact);
    if (!parsed.success) throw fromZod(parsed.error);
    const { value, apiKeyId, locationId } = await work(ctx, parsed.data);
    const line = { requestId, entrance: 'trpc', method: 'mutation', status: 200, operation: name } as const;
    finishRequest(app, { ...line, apiKeyId, locationId }, performance.now() - startedAt);
    return { status: 200, text: JSON.stringify(output.parse(value)) };
  } catch (error) {
    const refusal = toApiError(error);
    finishRefused(ctx, 'mutation', name, error);
    return { status: refusal.status, refusal };
  }
}

/** Every call of the router that needs no key. */
export function keylessOf(router: AnyRouter): Keyless[] {
  const procedures = router._def.procedures as Record<
    string,
    { _def: { meta?: { keyless?: Omit<Keyless, 'name'> } } }
  >;
  return Object.entries(procedures).flatMap(([name, { _def }]) => {
    const definition = _def.meta?.keyless;
    return definition === undefined ? [] : { name, ...definition };
  });
}
