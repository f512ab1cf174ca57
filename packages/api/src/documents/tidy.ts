import type { oas31 } from 'zod-openapi';

type Json = Record<string, unknown>;

/**
 * Makes a generated document fit to be read: no closed output objects (a new field must not break a client), no
 * patterns or bounds that a format already says, no default next to a reference, no second copy of a component,
 * no unused component.
 */
export function tidy(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  const copy = JSON.parse(JSON.stringify(document)) as Json;
  // The example of a component is shown where it is sent or answered.
  for (const component of Object.values(componentsOf(copy).schemas as Record<string, Json>))
    delete component.example;
  for (const schema of schemasIn(copy)) {
    spell(schema, copy);
    plain(schema);
  }
  for (const parameters of parametersIn(copy)) plainParameters(parameters);
  mergeEqualOutputs(copy);
  dropUnused(copy);
  return copy as unknown as oas31.OpenAPIObject;
}

// A default next to a reference: generators give it to the name, or to nothing.
function spell(schema: Json, document: Json): void {
  if (typeof schema.$ref !== 'string' || schema.default === undefined) return;
  const { $ref, ...own } = schema;
  const found = (componentsOf(document).schemas as Json)[refName($ref as string)];
  Reflect.deleteProperty(schema, '$ref');
  Object.assign(schema, structuredClone(found), own);
}

function plain(schema: Json): void {
  // A nullable schema is described by its other type.
  const described = (schema.anyOf as Json[] | undefined)?.find(
    ({ description }) => description !== undefined,
  );
  if (described !== undefined) schema.description ??= described.description;
  // Tools from before 3.1 distinguish variants by an enum of one.
  if (schema.const !== undefined) schema.enum = [schema.const];
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.format !== undefined) delete schema.pattern;
  // Generators escape it for the language they write.
  if (typeof schema.pattern === 'string')
    schema.pattern = schema.pattern.replace(/\\(.)/gs, (escaped, character) =>
      character === '/' ? character : escaped,
    );
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if ('example' in schema) {
    schema.examples = [schema.example];
    delete schema.example;
  }
}

// The generator describes the schema of a parameter, and only sometimes the parameter too.
function plainParameters(operation: { parameters: Json[] }): void {
  for (const parameter of operation.parameters) {
    if (!isObject(parameter.schema)) continue;
    const { description, anyOf, ...said } = parameter.schema;
    // A list is one parameter, split at commas; one value alone is a list of one.
    const list = Array.isArray(anyOf) ? anyOf.find((option: Json) => option.type === 'array') : undefined;
    const schema: Json = { ...(list ?? (anyOf === undefined ? {} : { anyOf })), ...said };
    Object.assign(parameter, { schema, ...(description !== undefined && { description }) });
    if (schema.type === 'array') parameter.explode = false;
  }
  if (operation.parameters.length === 0) Reflect.deleteProperty(operation, 'parameters');
}

function* parametersIn({ paths }: Json): Generator<{ parameters: Json[] }> {
  for (const path of Object.values(paths as Record<string, Json>)) {
    for (const operation of Object.values(path)) {
      if (isObject(operation) && Array.isArray(operation.parameters)) {
        yield operation as { parameters: Json[] };
      }
    }
  }
}

// Examples are data: a member named like a keyword must not be taken for one.
const data = new Set(['example', 'examples', 'default', 'enum', 'const']);

function* schemasIn(node: unknown, inSchema = false): Generator<Json> {
  if (Array.isArray(node)) {
    for (const entry of node) yield* schemasIn(entry, inSchema);
    return;
  }
  if (!isObject(node)) return;
  if (inSchema) yield node;
  for (const [key, value] of Object.entries(node)) {
    if (data.has(key)) continue;
    if (key === 'properties' || key === 'schemas') {
      for (const member of Object.values(value as Json)) yield* schemasIn(member, true);
    } else yield* schemasIn(value, inSchema || key === 'schema');
  }
}

// A schema that is used both ways is generated twice; mostly the two are equal once they are plain.
function mergeEqualOutputs(document: Json): void {
  const schemas = componentsOf(document).schemas as Json | undefined;
  if (schemas === undefined) return;
  const names = Object.keys(schemas).filter((name) => name.endsWith('Output') && schemas[name.slice(0, -6)]);
  let equal = names;
  // Assume all are equal, then drop those that differ under that assumption until none does.
  for (let before = -1; before !== equal.length; ) {
    before = equal.length;
    const assumed = new Set(equal);
    const text = (schema: unknown) =>
      JSON.stringify(schema, (key, value: unknown) =>
        key === '$ref' && typeof value === 'string' && assumed.has(refName(value))
          ? value.slice(0, -6)
          : value,
      );
    equal = equal.filter((name) => text(schemas[name]) === text(schemas[name.slice(0, -6)]));
  }
  const merged = new Set(equal);
  for (const name of merged) delete schemas[name];
  for (const reference of referencesIn(document)) {
    if (merged.has(refName(reference.$ref))) reference.$ref = reference.$ref.slice(0, -6);
  }
  for (const { discriminator } of schemasIn(document)) {
    const { mapping = {} } = (discriminator ?? {}) as { mapping?: Record<string, string> };
    for (const [value, reference] of Object.entries(mapping))
      if (merged.has(refName(reference))) mapping[value] = reference.slice(0, -6);
  }
}

function dropUnused(document: Json): void {
  const components = componentsOf(document);
  for (let removed = true; removed; ) {
    removed = false;
    const used = new Set([...referencesIn(document)].map(({ $ref }) => $ref));
    for (const kind of ['schemas', 'headers', 'parameters', 'responses']) {
      const group = components[kind] as Json | undefined;
      for (const name of Object.keys(group ?? {})) {
        if (used.has(`#/components/${kind}/${name}`)) continue;
        delete group?.[name];
        removed = true;
      }
    }
  }
  for (const [kind, group] of Object.entries(components)) {
    if (Object.keys(group as Json).length === 0) delete components[kind];
  }
}

function* referencesIn(node: unknown): Generator<{ $ref: string }> {
  if (Array.isArray(node)) for (const entry of node) yield* referencesIn(entry);
  if (!isObject(node)) return;
  if (typeof node.$ref === 'string') yield node as { $ref: string };
  for (const value of Object.values(node)) yield* referencesIn(value);
}

const componentsOf = (document: Json): Json => (document.components ?? {}) as Json;
const refName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
