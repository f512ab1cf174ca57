import type { z } from 'zod';
import { beyondSentences, structureBounds } from '../bodies/bounds.ts';
import { type Given, type GivenKey, type Input, withMembers } from '../bodies/input.ts';
import { joined } from '../bodies/pieces.ts';
import { readJson } from '../bodies/read.ts';
import type { Caller } from '../credentials/credentials.ts';
import { type FieldFault, fieldPath, fromZod, invalid } from '../errors.ts';
import { mostFaults } from '../lists.ts';
import { beginningsIn, mostAheadMs } from '../moments.ts';
import { uncodedTags } from './conditional.ts';
import type { CallContext, RequestContext } from './context.ts';
import type { NamedOperation } from './definition.ts';
import type { OperationMeta } from './meta.ts';
import { refuseUnfitReferences } from './referenced.ts';
import { refuseUnknown, tellIgnored, unknownFields } from './unknown-fields.ts';

/** The input of a call with what else the typed client has in it. */
export interface ReadGiven {
  input: Input;
  key: GivenKey;
  /** The tags that the typed client expects (`expected`); undefined where it expects none. */
  ifMatch: string | undefined;
}

/** An operation as far as its input is read by it. */
interface GivenTo {
  kind: 'query' | 'mutation';
  meta: Pick<OperationMeta, 'batch' | 'tag'>;
}

/** Reads the input of an admitted call. Throws what `readJson` throws, and `validation_error` for `expected` that is no text. */
export function readGiven(
  { body, members, key, isStrict }: Given,
  operation: GivenTo,
  { limits }: Pick<Caller, 'limits'>,
): ReadGiven {
  const { batch } = operation.meta;
  const input =
    'parts' in body
      ? readJson(joined(body), {
          kind: batch ? 'batch' : 'ordinary',
          mostItems: batch ? limits.maxItemsPerBatch : undefined,
          isStrict,
        })
      : body;
  if (key !== 'in the input') return { input: withMembers(input, members), key, ifMatch: undefined };
  return withoutOwn(input, operation);
}

/** An input of the typed client without what REST has in headers: the key, and the tag that a change of a resource expects. */
function withoutOwn({ value, exact, mayBeUnstorable }: Input, { kind, meta }: GivenTo): ReadGiven {
  if (!hasMembers(value) || !hasMembers(exact)) {
    const input = { value: value ?? {}, exact: exact ?? {}, mayBeUnstorable };
    return { input, key: { name: 'idempotencyKey', key: undefined }, ifMatch: undefined };
  }
  const takesTag = kind === 'mutation' && meta.tag !== undefined;
  const { key, expected, rest } = taken(value, takesTag);
  if (expected !== undefined && typeof expected !== 'string')
    throw invalid({ path: 'expected', message: 'must be text: an entity tag' });
  return {
    input: { value: rest, exact: exact === value ? rest : taken(exact, takesTag).rest, mayBeUnstorable },
    key: { name: 'idempotencyKey', key: kind === 'mutation' ? key : undefined },
    ifMatch: uncodedTags(expected),
  };
}

function taken({ idempotencyKey: key, ...rest }: Record<string, unknown>, takesTag: boolean) {
  if (!takesTag) return { key, expected: undefined, rest };
  const { expected, ...others } = rest;
  return { key, expected, rest: others };
}

const hasMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The input of a call as its schema reads it; or why it does not fit (`unfit`). */
export function validate(
  ctx: CallContext,
  { input: schema, kind }: NamedOperation,
  read: Input,
): { input?: unknown; unfit?: unknown } {
  try {
    refuseUnstorable(read);
    const parsed = schema.safeParse(read.exact);
    if (!parsed.success) throw fromZod(parsed.error);
    const unknown = unknownFields(read.exact, parsed.data);
    if (unknown.length > 0) {
      if (ctx.refusesUnknown) refuseUnknown(unknown, Object.keys(schema.shape));
      tellIgnored(ctx, unknown);
    }
    // A filter that names nothing finds nothing.
    if (kind === 'mutation') refuseUnfitReferences(schema, parsed.data);
    return { input: readAheadAsNow(ctx, schema, parsed.data) };
  } catch (error) {
    return { unfit: error };
  }
}

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

/**
 * The input of a call whose caller's clock may be ahead of the server's: a moment to read from that has not come yet is
 * read as now, and the answer says so. Throws `validation_error` for one that no clock explains.
 */
export function readAheadAsNow<Read>(
  { headers }: Pick<RequestContext, 'headers'>,
  schema: z.ZodObject,
  input: Read,
  now = new Date(),
): Read {
  const given = input as Record<string, unknown>;
  const ahead = beginningsIn(schema).flatMap((name) => {
    const aheadMs = aheadOf(now, given[name]);
    return aheadMs > 0 ? [{ name, aheadMs }] : [];
  });
  if (ahead.length === 0) return input;
  const faults = ahead.flatMap((each) => (each.aheadMs > mostAheadMs ? [faultOf(each, now)] : []));
  if (faults.length > 0) throw invalid(faults);
  const corrected = ahead.map(({ name }) => `${name}=${now.toISOString()}`);
  // Calls of one request share its headers.
  const before = headers['X-Read-As-Now'];
  headers['X-Read-As-Now'] = [...(before === undefined ? [] : [before]), ...corrected].join(', ');
  const read = ahead.map(({ name }) => [name, given[name] instanceof Date ? now : now.toISOString()]);
  return { ...input, ...Object.fromEntries(read) };
}

function aheadOf(now: Date, moment: unknown): number {
  if (moment instanceof Date) return moment.getTime() - now.getTime();
  return typeof moment === 'string' ? Date.parse(moment) - now.getTime() : 0;
}

const faultOf = ({ name, aheadMs }: { name: string; aheadMs: number }, now: Date): FieldFault => ({
  path: name,
  message: `is ${durationOf(aheadMs)} ahead of our clock, which says ${now.toISOString()}: it may be at most 5 minutes ahead`,
  reason: 'clock_ahead',
});

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** The two largest units of it that are not nothing: `2 hours 40 minutes`. */
function durationOf(ms: number): string {
  let left = ms;
  const parts = units.flatMap(([name, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`];
  });
  return parts.slice(0, 2).join(' ');
}
