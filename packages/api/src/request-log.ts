import type { Logger } from 'pino';
import type { ErrorCode } from './errors.ts';

/** What a log line of a request may hold: an allow-list, so that no key, body or secret can slip in. */
export interface RequestLine {
  requestId: string;
  entrance: 'rest' | 'trpc';
  method: string;
  status: number;
  operation?: string;
  code?: ErrorCode;
  apiKeyId?: string;
  locationId?: string;
  /** The cause of a fault of ours; callers never see it. */
  error?: unknown;
}

/** Writes one line for a request; faults of ours are errors and carry their cause. */
export function logRequest(log: Logger, line: RequestLine, durationMs: number): void {
  const { error, ...fields } = line;
  const entry = { ...fields, durationMs: Math.round(durationMs * 10) / 10 };
  if (error === undefined) log.info(entry, 'request');
  else log.error({ ...entry, err: error }, 'request failed');
}
