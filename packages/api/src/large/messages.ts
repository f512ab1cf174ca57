import type { Settings } from '@comanda/db';
import type { LargeCall } from '../call/large.ts';
import { ApiError, type FieldFault, isFault, type OtherResource, toApiError } from '../errors.ts';
import type { Reason } from '../reasons.ts';

/** Connections to the database of the thread for large bodies, and so calls that it performs at a time. */
export const largeConnections = 3;

/** The settings that the thread starts with: those that its work depends on. */
export type ThreadSettings = Pick<
  Settings,
  'idempotencyTtlHours' | 'webhookTargets' | 'webhookAllowCidrs' | 'logLevel'
> &
  Partial<Pick<Settings, 'databaseDirectUrl' | 'app'>> & { databaseUrl: string; encryptionKey: string };

/** A call with its number, for the thread. */
export interface NumberedCall {
  number: number;
  call: LargeCall;
}

/** A message to the thread: a call, the number of one whose caller has left, or the request to end. */
export type ToThread = NumberedCall | { left: number } | { close: true };

/** What the thread says: that it has started, then answers. */
export type FromThread = { ready: true } | Answered;

/** The thread's answer to a call. */
export type Answered = { number: number; headers: Record<string, string> } & (
  | {
      text: string;
      etag: string | undefined;
      replayed: boolean | undefined;
      isSecret: boolean | undefined;
    }
  | { refusal: SentRefusal }
);

/** An `ApiError` as it passes between threads. */
export interface SentRefusal {
  reason: Reason;
  message: string;
  headers: Readonly<Record<string, string>>;
  fields: readonly FieldFault[];
  other: OtherResource | undefined;
  since: Date | undefined;
  /** Of a fault: the error to log. */
  cause: { name: string; message: string; stack: string | undefined } | undefined;
}

/** An error as it passes to another thread. */
export function sentRefusal(thrown: unknown): SentRefusal {
  const refusal = toApiError(thrown);
  const { reason, message, headers, fields, other, since, cause } = refusal;
  const fault = isFault(refusal) ? (cause instanceof Error ? cause : new Error(String(cause))) : undefined;
  return {
    reason,
    message,
    headers,
    fields,
    other,
    since,
    cause: fault && { name: fault.name, message: fault.message, stack: fault.stack },
  };
}

/** The same error in the thread that responds to the caller. */
export function receivedRefusal({ reason, message, cause, since, ...sent }: SentRefusal): ApiError {
  const fault = cause && Object.assign(new Error(cause.message), cause);
  return new ApiError(reason, message, { ...sent, ...(since && { since }), ...(fault && { cause: fault }) });
}
