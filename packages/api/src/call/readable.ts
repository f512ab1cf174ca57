import { beyondSentences, structureBounds } from '../bodies/bounds.ts';
import type { Input } from '../bodies/input.ts';
import { type FieldFault, fieldPath, invalid } from '../errors.ts';
import { mostFaults } from '../lists.ts';

/**
 * Throws `validation_error` for a parsed input that nests too deep: one that did not come as a body, whose bytes are
 * counted. Works without recursion, so that no depth can harm.
 */
export function refuseDeep(input: unknown): void {
  let level: unknown[] = [input];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > structureBounds.depth)
      throw invalid({ path: '', message: beyondSentences.depth, reason: 'body_bound' });
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
}

/**
 * Throws `validation_error` naming values and member names that cannot be stored, as they hold U+0000 or unpaired
 * surrogates; except for the input's own `id`: ids are opaque, and one with U+0000 in it simply does not exist.
 */
export function refuseUnstorable({ value, mayBeUnstorable }: Pick<Input, 'value' | 'mayBeUnstorable'>): void {
  if (!mayBeUnstorable || isStorable(value)) return;
  const faults: FieldFault[] = [];
  for (const path of unstorable(withoutId(value), [])) {
    if (faults.length > mostFaults) break;
    faults.push({ path: fieldPath(path), message: 'must not contain U+0000 or unpaired surrogates' });
  }
  if (faults.length > 0) throw invalid(faults, faults.length <= mostFaults);
}

// Nearly all is: only for what is not is it worked out where.
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  return Object.entries(value).every(([name, entry]) => isStorableText(name) && isStorable(entry));
}

const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

function withoutId(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const { id: _, ...rest } = input as Record<string, unknown>;
  return rest;
}

function* unstorable(value: unknown, path: PropertyKey[]): Generator<PropertyKey[]> {
  if (typeof value === 'string') {
    if (!isStorableText(value)) yield path;
  } else if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) yield* unstorable(entry, [...path, index]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, entry] of Object.entries(value)) {
      if (isStorableText(name)) yield* unstorable(entry, [...path, name]);
      // A name that cannot be stored cannot be shown either.
      else yield [...path, name.replaceAll('\0', '\ufffd').toWellFormed()];
    }
  }
}
