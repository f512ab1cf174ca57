import { z } from 'zod';
import { type FieldFault, invalid } from '../../errors.ts';
import { decode } from './decode.ts';

/** The value of a query parameter's text before zod sees it. */
export type Coercion = 'number' | 'boolean' | 'strings' | 'string';

/** A query string as it was read. */
export interface Query {
  values: Record<string, unknown>;
  unknown: string[];
}

/** The parameters that an input knows, with what their text becomes; worked out once per route. */
export function coercions(input: z.ZodObject): Map<string, Coercion> {
  return new Map(
    Object.entries(input.shape).map(([name, schema]) => [name, coercionOf(schema as z.ZodType)]),
  );
}

/**
 * Reads a query string strictly: plain decimals become numbers, exactly `true` and `false` booleans, a list is split at
 * commas or repeated; any other text stays text, for zod to refuse. Unknown parameters are named apart, except those of
 * links and caches (`utm_…`, `_…`). Throws `validation_error` for a repeated single-value parameter and a number that
 * is written oddly, 400 for broken percent-encoding.
 */
export function parseQuery(query: string, known: ReadonlyMap<string, Coercion>): Query {
  const values = new Map<string, unknown>();
  const faults: FieldFault[] = [];
  const unknown = new Set<string>();
  for (const pair of query === '' ? [] : query.split('&')) {
    const [rawName = '', ...rest] = pair.split('=');
    const name = decode(rawName.replaceAll('+', ' '));
    const text = decode(rest.join('=').replaceAll('+', ' '));
    const coercion = known.get(name);
    if (coercion === undefined) {
      if (!/^(utm)?_/.test(name) && name !== '') unknown.add(name);
      continue;
    }
    const before = values.get(name);
    if (Array.isArray(before)) values.set(name, [...before, ...text.split(',')]);
    else if (before !== undefined) faults.push({ path: name, message: 'must be given once' });
    else if (coercion === 'number' && isOddNumber(text)) faults.push({ path: name, message: oddNumber });
    else values.set(name, coerce(text, coercion));
  }
  if (faults.length > 0) throw invalid(faults);
  return { values: Object.fromEntries(values), unknown: [...unknown] };
}

const plainDecimal = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/;

// `05` or twenty digits: a number to its writer, whose value another reader could take for another one.
const isOddNumber = (text: string): boolean =>
  !plainDecimal.test(text) && /^[+-]?\.?\d[\d.]*(e[+-]?\d+)?$/i.test(text);
const oddNumber =
  'must be a plain number, without leading zeros, plus sign or exponent, and of at most 16 digits';

function coerce(text: string, coercion: Coercion): unknown {
  if (coercion === 'number') return plainDecimal.test(text) ? Number(text) : text;
  if (coercion === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (coercion === 'strings') return text.split(',');
  return text;
}

function coercionOf(schema: z.ZodType): Coercion {
  let inner: unknown = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable) {
    inner = inner.unwrap();
  }
  if (inner instanceof z.ZodNumber) return 'number';
  if (inner instanceof z.ZodBoolean) return 'boolean';
  const options: unknown[] = inner instanceof z.ZodUnion ? [...inner.options] : [inner];
  if (options.some((option) => option instanceof z.ZodArray)) return 'strings';
  return 'string';
}
