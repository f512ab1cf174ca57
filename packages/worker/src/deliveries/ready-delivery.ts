import type { HeldDelivery } from './statements.ts';

/** A claimed delivery that waits for a slot among those in flight. */
export interface ReadyDelivery {
  delivery: HeldDelivery;
  /** The bytes that are sent, once; a text and the copy of it that goes out would take three times as much. */
  body: Buffer;
  secrets: readonly string[];
  /** Names the secrets (`sealedOf`). */
  sealed: string;
  /** On the worker's clock: from then on address, secrets, state and claim are read again before it is sent. */
  sendBy: number;
}
