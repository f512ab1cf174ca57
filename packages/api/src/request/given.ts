import type { Pieces } from '../bodies/pieces.ts';

/** The idempotency key of a call as its entrance found it, and its name for callers there. */
export interface GivenKey {
  name: 'Idempotency-Key' | 'idempotencyKey';
  key: unknown;
}

/** A call whose input is a body. */
export interface BodyCall {
  /** The body as it came; empty when there is none. */
  bytes: Pieces;
  /** Members of the input in addition to those of the body: the parameters of the path. */
  members: Record<string, string>;
  /** The idempotency key, where a header carries it; else the body's own member `idempotencyKey`. */
  key: GivenKey | 'in the body';
  /** Whether a name that an object has twice is refused. */
  isStrict: boolean;
}
