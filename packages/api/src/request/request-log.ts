import type { Logger } from 'pino';
import type { Metrics } from '../metrics/metrics.ts';
import type { ErrorCode, Reason } from '../reasons.ts';

/** The fields of a request's log line: an allow-list, so that no key, body or secret can slip in. */
export interface RequestLine {
  requestId: string;
  traceId?: string | undefined;
  entrance: 'rest' | 'trpc';
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
