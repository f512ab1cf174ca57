/** The input of a call, as its entrance read it. */
export interface Input {
  /** The result of `JSON.parse`: a repeat is compared with the first request by it. */
  readonly value: unknown;
  /** The same for validation: a number that no double represents is replaced by a neighboring one. */
  readonly exact: unknown;
  /** Whether text in it may hold U+0000 or unpaired surrogates. */
  readonly mayBeUnstorable: boolean;
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
