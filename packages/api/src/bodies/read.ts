import { ApiError, invalid } from '../errors.ts';
import { beyondSentences, structureBounds } from './bounds.ts';
import type { Input } from './input.ts';
import { faultPlace } from './malformed.ts';
import { duplicateName } from './names.ts';
import { withoutInexactNumbers } from './numbers.ts';
import { type Structure, scanStructure } from './scan.ts';

/** How a body is read. */
export interface Reading {
  /** `batch` may hold more values. */
  kind: keyof typeof structureBounds.values;
  /** Entries that a list among the body's own members may have, where the key bounds them: `max_items_per_batch`. */
  mostItems?: number | undefined;
  /** Whether an object may not have two members of one name: with `Prefer: handling=strict`. */
  isStrict: boolean;
}

/**
 * Reads a JSON object from a body; an empty one reads as `{}`. The bounds are compared with the bytes before these are
 * parsed. Throws `validation_error` beyond a bound and for JSON that is no object, 400 for JSON that cannot be read.
 * Contract: bounds before work.
 */
export function readJson(bytes: Uint8Array, { kind, mostItems, isStrict }: Reading): Input {
  if (bytes.length === 0) return { value: {}, exact: {}, mayBeUnstorable: false };
  const most = structureBounds.values[kind];
  const structure = scanStructure(bytes, most);
  refuseBeyond(structure, most);
  if (mostItems !== undefined) refuseLongLists(structure, mostItems, bytes);
  const text = textOf(bytes);
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid({ path: '', message: 'The body must be a JSON object.' });
  const twice = isStrict ? duplicateName(text) : undefined;
  if (twice !== undefined)
    throw invalid({ path: twice, message: 'must not be given twice', reason: 'unknown_parameter' });
  return { value, exact: exactly(bytes, structure, value), mayBeUnstorable: structure.hasEscapes };
}

/**
 * Reads the JSON text of a call's input in a URL; an empty one reads as `{}`. Throws `validation_error` beyond the bounds of
 * an ordinary body, 400 for what is not JSON.
 */
export function readParameter(text: string): Input {
  if (text === '') return { value: {}, exact: {}, mayBeUnstorable: false };
  const bytes = Buffer.from(text);
  const most = structureBounds.values.ordinary;
  const structure = scanStructure(bytes, most);
  refuseBeyond(structure, most);
  const value = parse(text, 'input');
  return { value, exact: exactly(bytes, structure, value), mayBeUnstorable: true };
}

function refuseBeyond({ beyond, values }: Structure, most: number): void {
  if (beyond !== undefined)
    throw invalid({ path: '', message: beyondSentences[beyond], reason: 'body_bound' });
  if (values > most)
    throw invalid({ path: '', message: `The body holds more than ${most} values.`, reason: 'body_bound' });
}

function refuseLongLists({ longest }: Structure, most: number, bytes: Uint8Array): void {
  if (longest === undefined || longest.entries <= most) return;
  const path = textOf(bytes.subarray(longest.nameFrom, longest.nameTo));
  throw batchTooLarge(path, most, longest.entries);
}

/** The refusal of a batch with more items than the key may send in one. Specification: Limits, batch limits. */
export const batchTooLarge = (path: string, most: number, items: number): ApiError =>
  invalid({
    path,
    message: `must hold at most ${most} items (max_items_per_batch), got ${items}`,
    reason: 'batch_too_large',
  });

const utf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw unreadable('invalid UTF-8');
  }
}

function parse(text: string, what: Unreadable = 'body'): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(`malformed JSON at ${faultPlace(text)}`, what);
  }
}

type Unreadable = 'body' | 'input';

const unreadable = (found: string, what: Unreadable = 'body') =>
  new ApiError('unreadable_body', `The ${what} cannot be read: ${found}.`);

function exactly(bytes: Uint8Array, { unsureNumbers }: Structure, value: unknown): unknown {
  const exact = withoutInexactNumbers(bytes, unsureNumbers);
  return exact === undefined ? value : JSON.parse(exact);
}
