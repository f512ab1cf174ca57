import { ApiError, fieldPath, invalid } from '../errors.ts';

/** How deep a body may nest. */
export const deepestNesting = 64;

/** Throws `invalid_request` for input that nests deeper than we read. Without recursion, so that no depth can harm. */
export function refuseUnreadable(input: unknown): void {
  let level: unknown[] = [input];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepestNesting)
      throw new ApiError('unreadable_body', `The body nests deeper than ${deepestNesting} levels.`);
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
}

/**
 * Throws `validation_error` naming text that cannot be stored: U+0000 or unpaired surrogates; but for the input's own
 * `id`: ids are opaque, and one with U+0000 in it simply does not exist. Call after `refuseUnreadable`.
 */
export function refuseUnstorable(input: unknown): void {
  if (isStorable(input)) return;
  const faults = [...unstorable(withoutId(input), [])];
  if (faults.length > 0) {
    throw invalid(
      ...faults.map((path) => ({
        path: fieldPath(path),
        message: 'must not contain U+0000 or unpaired surrogates',
      })),
    );
  }
}

// Nearly all is: only for what is not is it worked out where.
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable);
}

function withoutId(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const { id: _, ...rest } = input as Record<string, unknown>;
  return rest;
}

function* unstorable(value: unknown, path: PropertyKey[]): Generator<PropertyKey[]> {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) yield path;
  } else if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) yield* unstorable(entry, [...path, index]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) yield* unstorable(entry, [...path, key]);
  }
}
