import { decimalsKey } from '../../packages/api/src/schema-words.ts';
import { resolve, type Schema } from './documents.ts';

/** A value that breaks a schema in one place, and how. */
export interface Spoilt {
  /** `items.0.quantity: above the maximum`. */
  about: string;
  value: unknown;
}

/** Every way to break one rule of the schema in one place of a value that keeps it. */
export function spoilings(document: Schema, part: unknown, value: unknown, path = ''): Spoilt[] {
  const schema = resolve(document, part);
  const options = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  const inner = options?.find((option) => typeOf(resolve(document, option)) === kindOf(value));
  if (options !== undefined) return inner === undefined ? [] : spoilings(document, inner, value, path);
  const here = ownSpoilings(schema, value).map(([how, spoilt]) => ({
    about: `${path}: ${how}`,
    value: spoilt,
  }));
  if (Array.isArray(value)) return [...here, ...inArray(document, schema, value, path)];
  if (typeof value === 'object' && value !== null)
    return [...here, ...inObject(document, schema, value as Record<string, unknown>, path)];
  return here;
}

function inArray(document: Schema, schema: Schema, value: unknown[], path: string): Spoilt[] {
  return value.flatMap((entry, index) =>
    spoilings(document, schema.items, entry, `${path}.${index}`).map((spoilt) => ({
      ...spoilt,
      value: value.with(index, spoilt.value),
    })),
  );
}

function inObject(document: Schema, schema: Schema, value: Record<string, unknown>, path: string): Spoilt[] {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const without = Object.keys(value).map((name) => {
    const { [name]: _, ...rest } = value;
    return { about: `${path}: without ${name}`, value: rest };
  });
  const inside = Object.entries(value).flatMap(([name, member]) =>
    spoilings(document, properties[name], member, `${path}.${name}`).map((spoilt) => ({
      ...spoilt,
      value: { ...value, [name]: spoilt.value },
    })),
  );
  // Members that a condition of the schema may exclude.
  const more = Object.keys(schema.if === undefined ? {} : properties)
    .filter((name) => value[name] === undefined)
    .map((name) => ({ about: `${path}: with ${name}`, value: { ...value, [name]: fillers[name] ?? 1 } }));
  return [...without, ...inside, ...more];
}

/** Values for fields that exclude each other. */
const fillers: Readonly<Record<string, unknown>> = { product_id: 'x', external_id: 'x', sku: 'x' };

function ownSpoilings(schema: Schema, value: unknown): [how: string, value: unknown][] {
  const number = (name: string) => (typeof schema[name] === 'number' ? (schema[name] as number) : undefined);
  const [least, most] = [number('minimum'), number('maximum')];
  const [shortest, longest] = [number('minLength'), number('maxLength')];
  const [fewest, many] = [number('minItems'), number('maxItems')];
  const isText = schema.type === 'string';
  return [
    ['of another type', typeof value === 'string' ? 12 : 'x'],
    ['a list', typeof value === 'string' ? [['x']] : ['x']],
    ['null', null],
    ...(Array.isArray(schema.enum) ? ([['none of the values', 'nothing_of_it']] as const) : []),
    ...(shortest ? ([['too short', 'x'.repeat(shortest - 1)]] as const) : []),
    ...(longest ? ([['too long', 'x'.repeat(longest + 1)]] as const) : []),
    ...(isText && schema.pattern !== undefined ? unmatched.map((each) => ['unmatched', each] as const) : []),
    ...(isText && schema.format !== undefined ? [['no such form', 'yesterday'] as const] : []),
    ...(least === undefined ? [] : ([['below the minimum', least - 1]] as const)),
    ...(number('exclusiveMinimum') === undefined ? [] : ([['the minimum', 0]] as const)),
    ...(most === undefined ? [] : ([['above the maximum', most + 1]] as const)),
    ...(schema.type === 'integer' ? [['not whole', 1.5] as const] : []),
    ...(number(decimalsKey) === undefined ? [] : ([['too many decimals', 1.123456]] as const)),
    ...(schema.if !== undefined && schema.type === 'number' ? [['excluded', 0] as const] : []),
    ...(fewest ? ([['too few', []]] as const) : []),
    ...(many !== undefined && many <= 1_000
      ? [['too many', Array(many + 1).fill(first(value))] as const]
      : []),
    ...(schema.uniqueItems === true ? ([['twice', [first(value), first(value)]]] as const) : []),
  ].map(([how, spoilt]) => [String(how), spoilt]);
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined) ?? 'x';

const unmatched = [
  'a\u0007b',
  'ftp://images.example.com/x.jpg',
  'http:images.example.com',
  'https:///x',
  'https://user:secret@erp.example.com/',
  'https://@erp.example.com/',
  'https://erp.example.com/#part',
  'https://erp.example.com/a b',
  'images.example.com',
];

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

const typeOf = ({ type }: Schema): unknown => (type === 'integer' ? 'number' : type);
