import { largeAtFirst, largeFrom } from '../bodies/bounds.ts';
import type { Given } from '../bodies/input.ts';
import type { Answer } from './answer.ts';
import type { CallContext } from './context.ts';
import type { NamedOperation } from './definition.ts';
import type { LargeBodies } from './large.ts';

/** Whether a call is performed in the thread for large bodies. While that starts, calls with bodies up to `largeAtFirst` are not. */
export function isApart({ meta }: NamedOperation, { body }: Given, large: LargeBodies): boolean {
  const bytes = 'parts' in body ? body.length : 0;
  return (meta.apart === true || bytes > largeFrom) && (large.isReady() || bytes > largeAtFirst);
}

/** Performs an admitted call in the thread. Throws what `perform` throws there. */
export async function performApart(
  large: LargeBodies,
  ctx: CallContext,
  { name }: NamedOperation,
  given: Given,
): Promise<Answer<unknown>> {
  const { caller, requestId, traceparent, apiVersion, simulation, left } = ctx;
  const { refusesUnknown, ifMatch, ifNoneMatch, ifUnmodifiedSince } = ctx;
  const done = await large.perform(
    {
      operation: name,
      caller,
      requestId,
      traceparent,
      apiVersion,
      simulation,
      refusesUnknown,
      ifMatch,
      ifNoneMatch,
      ifUnmodifiedSince,
      given,
    },
    left,
  );
  Object.assign(ctx.headers, done.headers);
  if ('refusal' in done) throw done.refusal;
  return done.answer;
}
