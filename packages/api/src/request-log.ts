import type { Logger } from 'pino';
import type { ErrorCode, LimitKind } from './errors.ts';
import type { Metrics } from './metrics/metrics.ts';

/** What a log line of a request may hold: an allow-list, so that no key, body or secret can slip in. */
export interface RequestLine {
  requestId: string;
  entrance: 'rest' | 'trpc';
  method: string;
  status: number;
  operation?: string;
  code?: ErrorCode;
  /** The limit that was used up. */
  limit?: LimitKind;
  apiKeyId?: string;
  locationId?: string;
  /** The cause of a fault of ours; callers never see it. */
  error?: unknown;
}

/** Counts a request and writes one line for it; faults of ours are errors and carry their cause. */
export function finishRequest(
  { log, metrics }: { log: Logger; metrics: Metrics },
  line: RequestLine,
  durationMs: number,
): void {
  metrics.observe(line, durationMs);
  const { error, ...fields } = line;
  const entry = { ...fields, durationMs: Math.round(durationMs * 10) / 10 };
  if (error === undefined) log.info(entry, 'request');
  else log.error({ ...entry, err: error }, 'request failed');
}
