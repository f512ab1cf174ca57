import { AsyncLocalStorage } from 'node:async_hooks';
import { newId } from '@comanda/db';
import type { CallContext, RequestContext } from './context.ts';

/** The caller's own request id when it is well formed (1 to 128 of `[A-Za-z0-9._-]`), otherwise a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : newId();
}

/** The request of a transaction: the id, and after a space its place in a trace (`current_request_id()` in SQL). */
export function originOf({
  requestId,
  traceparent,
}: Pick<RequestContext, 'requestId' | 'traceparent'>): string {
  return traceparent === undefined ? requestId : `${requestId} ${traceparent}`;
}

/** The same with the key that asked behind it (`request_word(3)` in SQL): what a program changes of the catalog, the audit keeps by it. */
export const makerOf = (
  ctx: Pick<RequestContext, 'requestId' | 'traceparent'> & {
    caller: Pick<CallContext['caller'], 'apiKeyId'>;
  },
): string => `${ctx.requestId} ${ctx.traceparent ?? ''} ${ctx.caller.apiKeyId}`;

/** The id of the tRPC request under way: what fails before its context is made is answered with it too. */
export const requestIds = new AsyncLocalStorage<string>();
