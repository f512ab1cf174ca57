import { z } from 'zod';

/** A family of REST paths. The typed client and the feed of events have the shape of v2. */
export type Family = 'v1' | 'v2';

const ownFields = z.registry<{ family: Family }>();

/**
 * Declares fields that only one family has, for `...onlyIn('v2', { … })` in a `z.object`. Where the other family gives one, it
 * is unknown like any name; no answer, event or document of the other family shows it. The types are those of v2, so they
 * lack the fields of v1. A field of an input must be optional: one family cannot give it.
 */
export function onlyIn<Only extends Family, Fields extends z.ZodRawShape>(
  family: Only,
  fields: Fields,
): Only extends 'v1' ? Record<never, never> : Fields {
  const marked = Object.entries(fields).map(([name, field]) => [name, ownField(family, field as z.ZodType)]);
  return Object.fromEntries(marked) as Only extends 'v1' ? Record<never, never> : Fields;
}

/** The same of one field, where a table of fields makes the object. */
export function ownField<Field extends z.ZodType>(family: Family, field: Field): Field {
  const own = field.clone();
  ownFields.add(own, { family });
  return own;
}

/** The family that alone has a field; undefined where both have it. */
export function familyOf(field: z.core.$ZodType): Family | undefined {
  for (let inner: unknown = field; inner instanceof z.core.$ZodType; inner = defOf(inner).innerType) {
    const own = ownFields.get(inner);
    if (own !== undefined) return own.family;
  }
  return undefined;
}

/** The schema as one family has it, without the fields of the other; the same schema where it has none of these. */
export function schemaIn<Schema extends z.core.$ZodType>(schema: Schema, family: Family): Schema {
  const known = derived[family].get(schema);
  if (known !== undefined) return known as Schema;
  const made = rebuilt(schema, family);
  derived[family].set(schema, made);
  if (made !== schema) origins.set(made, { schema, family });
  return made;
}

/**
 * A function that removes the fields of the other family from a value that a schema of `schemaIn` describes; undefined
 * where there are none. It copies the parts it changes, and leaves a value that does not fit as it is.
 */
export function prunerOf(schema: z.core.$ZodType): Prune | undefined {
  const origin = origins.get(schema);
  if (origin === undefined) return undefined;
  origin.prune ??= made(origin.schema, origin.family);
  return origin.prune;
}

/**
 * The same for JSON text: the same text where it has no such field. Parsing changes no number: money and quantities have fewer
 * digits than a double holds.
 */
export function prunedText(schema: z.core.$ZodType, text: string): string {
  const prune = prunerOf(schema);
  if (prune === undefined || !mayHold(schema, text)) return text;
  return JSON.stringify(prune(JSON.parse(text)));
}

/** Whether a field of the other family may be in the text. A quote within a value is escaped, so most that is found is a name. */
function mayHold(schema: z.core.$ZodType, text: string): boolean {
  const origin = origins.get(schema);
  if (origin === undefined) return false;
  origin.gone ??= new RegExp(`"(?:${[...goneIn(origin.schema, origin.family)].join('|')})"\\s*:`);
  return origin.gone.test(text);
}

/** The names of the fields that a schema has in the other family alone, on each level. */
function goneIn(schema: z.core.$ZodType, family: Family): Set<string> {
  const def = defOf(schema);
  const found = new Set<string>();
  for (const name of parts[def.type] ?? []) {
    const part = def[name];
    const members =
      part instanceof z.core.$ZodType ? { [name]: part } : (part as Record<string, z.core.$ZodType>);
    for (const [member, inner] of Object.entries(members))
      if ((familyOf(inner) ?? family) === family) for (const each of goneIn(inner, family)) found.add(each);
      else found.add(member);
  }
  return found;
}

type Prune = (value: unknown) => unknown;
type Definition = Readonly<Record<string, unknown>> & { type: string };

const derived = { v1: new WeakMap<object, object>(), v2: new WeakMap<object, object>() };
const origins = new WeakMap<
  object,
  { schema: z.core.$ZodType; family: Family; prune?: Prune; gone?: RegExp }
>();

/** The members of a definition that hold further schemas: one, a list, or an object of them. */
const parts: Readonly<Record<string, readonly string[]>> = {
  object: ['shape'],
  array: ['element'],
  record: ['valueType'],
  union: ['options'],
  pipe: ['in', 'out'],
  ...Object.fromEntries(
    ['optional', 'nullable', 'default', 'prefault', 'nonoptional', 'readonly', 'catch'].map((kind) => [
      kind,
      ['innerType'],
    ]),
  ),
};

const leaves = new Set(
  'string number int boolean bigint date enum literal unknown any never null undefined custom transform'.split(
    ' ',
  ),
);

const defOf = (schema: z.core.$ZodType): Definition => schema._zod.def as unknown as Definition;

function rebuilt<Schema extends z.core.$ZodType>(schema: Schema, family: Family): Schema {
  const def = defOf(schema);
  if (leaves.has(def.type)) return schema;
  const names = parts[def.type];
  if (names === undefined) throw new Error(`families.ts has no row for a schema of the kind ${def.type}`);
  const changed = names.flatMap((name) => {
    const part = partIn(def[name], family);
    return part === def[name] ? [] : [[name, part] as const];
  });
  if (changed.length === 0) return schema;
  const copy = z.core.clone(schema, {
    ...def,
    ...Object.fromEntries(changed),
  } as unknown as Schema['_zod']['def']);
  const said = z.globalRegistry.get(schema);
  if (said !== undefined) z.globalRegistry.add(copy, said);
  return copy;
}

function partIn(part: unknown, family: Family): unknown {
  if (part instanceof z.core.$ZodType) return schemaIn(part, family);
  const before = Object.entries(part as Record<string, z.core.$ZodType>);
  const after = before
    .filter(([, member]) => (familyOf(member) ?? family) === family)
    .map(([name, member]) => [name, schemaIn(member, family)] as const);
  const isSame =
    after.length === before.length && after.every(([, member], at) => member === before[at]?.[1]);
  if (isSame) return part;
  return Array.isArray(part) ? after.map(([, member]) => member) : Object.fromEntries(after);
}

/** The pruner of a schema that differs in the family. */
function made(schema: z.core.$ZodType, family: Family): Prune {
  const def = defOf(schema);
  const inner = (part: unknown) => prunerOf(schemaIn(part as z.core.$ZodType, family));
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape as Record<string, z.core.$ZodType>);
    const gone = members.flatMap(([name, member]) => ((familyOf(member) ?? family) === family ? [] : [name]));
    const changed = members.flatMap(([name, member]) => {
      const prune = gone.includes(name) ? undefined : inner(member);
      return prune === undefined ? [] : [[name, prune] as const];
    });
    return (value) => (isObject(value) ? prunedObject(value, gone, changed) : value);
  }
  if (schema instanceof z.ZodUnion) return prunedUnion(schema, family);
  if (schema instanceof z.ZodArray) {
    const prune = inner(def.element);
    return (value) => (Array.isArray(value) && prune !== undefined ? value.map(prune) : value);
  }
  if (schema instanceof z.ZodRecord) {
    const prune = inner(def.valueType);
    return (value) =>
      isObject(value) && prune !== undefined
        ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, prune(member)]))
        : value;
  }
  return inner(schema instanceof z.ZodPipe ? def.out : def.innerType) ?? ((value) => value);
}

function prunedObject(
  value: Record<string, unknown>,
  gone: readonly string[],
  changed: readonly (readonly [string, Prune])[],
): Record<string, unknown> {
  const copy = { ...value };
  for (const name of gone) delete copy[name];
  for (const [name, prune] of changed) if (Object.hasOwn(copy, name)) copy[name] = prune(copy[name]);
  return copy;
}

/** By the option that the value is of. A value of none loses what any option takes: nothing of the other family is shown. */
function prunedUnion(schema: z.ZodUnion, family: Family): Prune {
  const options = schema.options.map((option) => {
    const own = schemaIn(option, family);
    return { own, prune: prunerOf(own) ?? ((value: unknown) => value) };
  });
  return (value) => {
    for (const { own, prune } of options) {
      const pruned = prune(value);
      if (z.safeParse(own, pruned).success) return pruned;
    }
    return options.reduce((rest, { prune }) => prune(rest), value);
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
