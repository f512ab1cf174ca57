import type { AnyRouter, TRPCMutationProcedure } from '@trpc/server';
import type { z } from 'zod';
import { largeFrom } from '../bodies/bounds.ts';
import { type Input, plainInput, ReadInput } from '../bodies/input.ts';
import { joined } from '../bodies/pieces.ts';
import { readJson } from '../bodies/read.ts';
import { ApiError, fromZod } from '../errors.ts';
import type { RequestContext } from './context.ts';
import type { Repeatable } from './definition.ts';
import { IncomingBody } from './incoming-body.ts';
import { trpc } from './operation.ts';
import { refuseDeep, refuseUnstorable } from './readable.ts';
import { finishRequest } from './request-log.ts';
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
  const procedure = trpc.procedure
    .meta({ keyless: { meta, input, output } })
    .use(({ ctx, batchIndex, getRawInput, next }) =>
      next({ getRawInput: () => ctx.inputOf?.(batchIndex) ?? getRawInput() }),
    )
    .input((raw) => raw)
    .mutation(async ({ ctx, input: raw, path }) => {
      if (ctx.app.policy.app === 'off')
        throw new ApiError('unknown_path', 'The app is not served here (APP=off).');
      refuseSimulation(ctx);
      const given = await readKeyless(raw);
      refuseUnstorable(given);
      const read = input.safeParse(given.exact);
      if (!read.success) throw fromZod(read.error);
      const { value, apiKeyId, locationId } = await work(ctx, read.data);
      const { requestId, startedAt } = ctx;
      const line = { requestId, entrance: 'trpc', method: 'mutation', status: 200, operation: path } as const;
      finishRequest(ctx.app, { ...line, apiKeyId, locationId }, performance.now() - startedAt);
      return output.parse(value);
    });
  return procedure as never;
}

// Without a key it has no slot: no more than what takes no time.
async function readKeyless(raw: unknown): Promise<Input> {
  if (raw instanceof IncomingBody)
    return readJson(joined(await raw.receive(largeFrom)), { kind: 'ordinary', isStrict: false });
  if (raw instanceof ReadInput) return raw;
  refuseDeep(raw);
  return plainInput(raw);
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
