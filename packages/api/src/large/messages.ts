import type { Settings } from '@comanda/db';
import type { FieldFault, OtherResource } from '../errors.ts';
import type { Reason } from '../reasons.ts';
import type { LargeCall } from '../request/large.ts';

/** What the thread begins with: of the settings, those that its work depends on. */
export type ThreadSettings = Pick<
  Settings,
  'idempotencyTtlHours' | 'webhookTargets' | 'webhookAllowCidrs' | 'logLevel'
> &
  Partial<Pick<Settings, 'databaseDirectUrl' | 'app'>> & { databaseUrl: string; encryptionKey: string };

/** What the server tells the thread: a call under a number, or to end. */
export type ToThread = { number: number; call: LargeCall; bytes: Uint8Array } | { close: true };

/** What the thread answers to a call. */
export type FromThread = { number: number; headers: Record<string, string> } & (
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
  /** Of a fault: what is to be logged. */
  cause: { name: string; message: string; stack: string | undefined } | undefined;
}
