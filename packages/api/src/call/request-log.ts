import { traceIdOf } from '@comanda/db';
import type { Logger } from 'pino';
import { isFault, toApiError } from '../errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ErrorCode, Reason } from '../reasons.ts';
import type { RequestContext } from './context.ts';
import type { CallRequest, Outcome } from './request.ts';

/** The fields of a request's log line: an allow-list, so that no key, body or secret can slip in. */
export interface RequestLine {
  requestId: string;
  traceId?: string | undefined;
  entrance: 'rest' | 'trpc' | 'mcp';
  method: string;
  status: number;
  operation?: string | undefined;
  code?: ErrorCode | undefined;
  reason?: Reason | undefined;
  apiKeyId?: string | undefined;
  locationId?: string | undefined;
  clientAddress?: string | undefined;
  /** The fault that it met because its caller, a sandbox, wanted to. */
  simulated?: string | undefined;
  /** Set when it is finished; in milliseconds. */
  durationMs?: number;
}

/**
 * Counts a request and writes one line for it; with `fault`, the cause of an internal fault that no caller sees, an
 * error.
 */
export function finishRequest(
  { log, metrics }: { log: Logger; metrics: Metrics },
  line: RequestLine,
  durationMs: number,
  fault?: unknown,
): void {
  // Played faults must raise no alarm.
  if (line.simulated === undefined) metrics.observe(line, durationMs);
  line.durationMs = Math.round(durationMs * 10) / 10;
  if (fault === undefined) log.info(line, 'request');
  else log.error({ ...line, err: fault }, 'request failed');
}

/** The last step of a call: counts it and writes its line, once its answer is sent. */
export function finishCall(request: CallRequest, { status, caller, refusal, fault }: Outcome): void {
  const { app, span, entrance, method, operation, requestId, traceparent, clientAddress, headers } = request;
  span.end(
    entrance === 'rest' ? { 'http.response.status_code': status } : {},
    fault ?? (entrance === 'rest' ? undefined : refusal),
  );
  const line: RequestLine = {
    requestId,
    entrance,
    method,
    status,
    operation: operation.name,
    code: refusal?.errorCode,
    reason: refusal?.reason,
    apiKeyId: caller?.apiKeyId,
    locationId: caller?.locationId,
    clientAddress,
    durationMs: 0,
    traceId: traceIdOf(traceparent),
    simulated: headers['X-Comanda-Simulated'],
  };
  finishRequest(app, line, performance.now() - request.startedAt, fault);
}

/** Counts and logs a call of tRPC that was refused before it was one, or opened no stream. */
export function finishRefused(
  ctx: Pick<RequestContext, 'app' | 'requestId' | 'startedAt' | 'headers'> & Partial<RequestContext>,
  method: string,
  operation: string | undefined,
  error: unknown,
): void {
  const { app, requestId, traceparent, clientAddress, startedAt, headers } = ctx;
  const refusal = toApiError(error);
  const line: RequestLine = {
    requestId,
    entrance: 'trpc',
    method,
    status: refusal.status,
    operation,
    code: refusal.errorCode,
    reason: refusal.reason,
    clientAddress,
    traceId: traceIdOf(traceparent),
    simulated: headers['X-Comanda-Simulated'],
  };
  finishRequest(app, line, performance.now() - startedAt, isFault(refusal) ? error : undefined);
}
