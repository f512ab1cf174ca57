import type { oas31 } from 'zod-openapi';

type Json = Record<string, unknown>;

/** `components.schemas` of a document. */
export type Schemas = Record<string, Json>;

/** Keywords whose values are data: a member named like a keyword must not be taken for one. */
const data = new Set(['example', 'examples', 'default', 'enum', 'const']);

/**
 * Makes a generated schema, and all that it holds, fit to be read: no patterns or bounds that a format already says, no default next to
 * a reference.
 */
export function plainSchema(schema: Json, schemas: Schemas): void {
  // Generators give a default next to a reference to the name, or to nothing.
  if (typeof schema.$ref === 'string' && schema.default !== undefined) {
    const { $ref, ...own } = schema;
    Reflect.deleteProperty(schema, '$ref');
    Object.assign(schema, structuredClone(schemas[String($ref).replace(/^.*\//, '')]), own);
  }
  // A nullable schema is described by its other type.
  if (Array.isArray(schema.anyOf))
    schema.description ??= (schema.anyOf as Json[]).find(
      ({ description }) => description !== undefined,
    )?.description;
  if (schema.description === undefined) delete schema.description;
  // Tools from before 3.1 distinguish variants by an enum of one.
  if (schema.const !== undefined) schema.enum = [schema.const];
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
  for (const [key, value] of Object.entries(schema)) {
    if (data.has(key) || typeof value !== 'object' || value === null) continue;
    for (const part of key === 'properties' ? Object.values(value) : [value].flat())
      if (typeof part === 'object' && part !== null) plainSchema(part as Json, schemas);
  }
}

/**
 * Positions in a list or in the feed. They are of one location and temporary, so no example of them is right; tools
 * that fill in every example would also give them next to parameters that exclude them.
 */
const positions: ReadonlySet<string> = new Set(['cursor', 'after']);

/** A generated parameter with its description, which the generator gives to its schema, and its example. */
export function plainParameter(
  { schema: generated, ...parameter }: oas31.ParameterObject,
  example: unknown,
  schemas: Schemas,
): oas31.ParameterObject {
  const own = { ...generated } as Json;
  plainSchema(own, schemas);
  const { description, anyOf, ...said } = own;
  // A list is one parameter, split at commas; one value alone is a list of one.
  const list = Array.isArray(anyOf) ? anyOf.find((option: Json) => option.type === 'array') : undefined;
  const schema: Json = { ...(list ?? (anyOf === undefined ? {} : { anyOf })), ...said };
  const hasExample = !positions.has(parameter.name);
  if (!hasExample) delete schema.examples;
  return {
    ...parameter,
    schema,
    ...(description !== undefined && { description: String(description) }),
    ...(hasExample && { example }),
    ...(schema.type === 'array' && { explode: false }),
  };
}
