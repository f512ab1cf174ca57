import type { Caller } from '../credentials/credentials.ts';
import { ApiError } from '../errors.ts';
import { grants } from '../permissions.ts';
import type { RequestContext } from './context.ts';
import type { OperationMeta } from './meta.ts';

/**
 * Admits a request: credential, then request limit, then permission, in this order. Sets the limit headers
 * on the answer. Throws `unauthorized`, `rate_limited` or `permission_denied`. A refused credential touches
 * nothing, an exhausted limit costs next to nothing.
 */
export async function admit(
  { app, authorization, headers }: RequestContext,
  { permission, batch }: Pick<OperationMeta, 'permission' | 'batch'>,
): Promise<Caller> {
  const known = app.credentials.authenticate(authorization);
  const caller = known instanceof Promise ? await known : known;
  const counted = app.limiter.admit(caller);
  Object.assign(headers, counted instanceof Promise ? await counted : counted);
  if (batch) Object.assign(headers, await app.limiter.batchHeaders(caller));
  if (permission !== null && !grants(caller.granted, permission))
    throw new ApiError('permission_missing', `The key lacks the permission ${permission}.`);
  return caller;
}
