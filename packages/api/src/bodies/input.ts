import type { Pieces } from './pieces.ts';

/** The input of a call, as its entrance read it. */
export interface Input {
  /** The result of `JSON.parse`: a repeat is compared with the first request by it. */
  readonly value: unknown;
  /** The same for validation: a number that no double represents is replaced by a neighboring one. */
  readonly exact: unknown;
  /** Whether text in it may hold U+0000 or unpaired surrogates. */
  readonly mayBeUnstorable: boolean;
}

/** The idempotency key of a call as its entrance found it, and its name for callers there. */
export interface GivenKey {
  name: 'Idempotency-Key' | 'idempotencyKey' | 'idempotency_key';
  key: unknown;
}

/** The input of a call, as far as its entrance knows it. It can pass to another thread. */
export interface Given {
  /** The body as it came, empty when there is none; or an input that the entrance has read. */
  body: Pieces | Input;
  /** Members of the input in addition to those of the body: the parameters of the path. */
  members: Record<string, string>;
  /** The idempotency key, where a header carries it; else the input's own member `idempotencyKey`. */
  key: GivenKey | 'in the input';
  /** Whether a name that an object has twice is refused. */
  isStrict: boolean;
}

/** The input of a call that came without a body, or was parsed by another. */
export const plainInput = (value: unknown): Input => ({ value, exact: value, mayBeUnstorable: true });

/** The input with members in addition to those of the body: the parameters of a path. */
export function withMembers({ value, exact, mayBeUnstorable }: Input, members: object): Input {
  if (Object.keys(members).length === 0) return { value, exact, mayBeUnstorable };
  const both = Object.assign({}, value, members);
  return {
    value: both,
    exact: exact === value ? both : Object.assign({}, exact, members),
    mayBeUnstorable: true,
  };
}
