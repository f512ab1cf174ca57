import { z } from 'zod';
import { type Operation, takesIfMatch } from '../../call/operations.ts';
import { forModels } from './words.ts';

type Json = string | number | boolean | null | Json[] | JsonSchema;

/** A JSON schema, as a plain object. */
export interface JsonSchema {
  [keyword: string]: Json;
}

/** The schema of a tool's arguments: an object at the root, no reference in it. */
export interface ArgumentsSchema extends JsonSchema {
  type: 'object';
  properties: Record<string, JsonSchema>;
  required?: string[];
}

/** Rows that a list has where a tool is called without `limit`: what a list answers stays in a model's context. */
export const shortLimit = 10;

/** Whether a list is asked for by `limit`. */
export const hasLimit = ({ isList, input }: Operation): boolean => isList && 'limit' in input.shape;

/**
 * The arguments of an operation as one object: parameters of path and query, members of the body, and what REST has in
 * headers under names of their own.
 */
export function argumentsSchema(operation: Operation): ArgumentsSchema {
  const { $defs = {}, ...generated } = z.toJSONSchema(operation.input, { io: 'input' }) as JsonSchema;
  const { properties = {}, required = [] } = plain(generated, $defs as Defs, 1);
  const fields = properties as Record<string, JsonSchema>;
  if (hasLimit(operation)) fields.limit = { ...fields.limit, default: shortLimit };
  const needed = required as string[];
  const { kind, meta } = operation;
  if (kind === 'mutation') {
    fields.idempotency_key = keySchema(meta.idempotent === true);
    if (meta.idempotent) needed.push('idempotency_key');
  }
  if (takesIfMatch(operation)) fields.if_match = tagSchema;
  return {
    type: 'object',
    properties: fields,
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
}

const keySchema = (isNeeded: boolean): JsonSchema => ({
  type: 'string',
  description: `A text of your own for this one action${isNeeded ? '' : ', optional'}: use it again to repeat the action safely, never for another.`,
});

const tagSchema: JsonSchema = {
  type: 'string',
  description: 'The `etag` of an earlier answer: the call is refused if the resource changed since.',
};

type Defs = Readonly<Record<string, JsonSchema>>;

/** Keywords that cost a model more than they tell. Conditions (`if`) are checked by the service, whose refusal names them. */
const dropped = new Set(['$schema', 'id', 'example', 'examples', 'pattern', 'title', 'if', 'then', 'else']);

/** Objects within one another in a schema: some clients and models refuse more. */
export const mostDepth = 5;

/** The schema without references and without what no model needs. `depth` counts the objects around it, and itself. */
function plain(schema: JsonSchema, defs: Defs, depth: number): JsonSchema {
  if (typeof schema.$ref === 'string') {
    const { $ref, ...own } = schema;
    return plain({ ...defs[$ref.slice('#/$defs/'.length)], ...own }, defs, depth);
  }
  const list = listOf(schema);
  if (list !== undefined) return plain(list, defs, depth);
  if (isSchema(schema.properties) && depth > mostDepth) return namesOnly(schema, schema.properties);
  const kept: JsonSchema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (dropped.has(keyword) || keyword.startsWith('x-') || isNoBound(value)) continue;
    kept[keyword] = partOf(keyword, value, defs, depth);
  }
  const options = Array.isArray(kept.anyOf) ? kept.anyOf.filter(isSchema) : [];
  // What may be null is described by its other type.
  kept.description ??= options.find(({ description }) => description !== undefined)?.description ?? '';
  if (kept.description === '') delete kept.description;
  for (const option of options) if (option.description === kept.description) delete option.description;
  return kept;
}

function partOf(keyword: string, value: Json, defs: Defs, depth: number): Json {
  if (keyword === 'description') return forModels(String(value));
  if (keyword === 'default' || keyword === 'enum' || keyword === 'const') return value;
  if (Array.isArray(value)) return value.map((part) => (isSchema(part) ? plain(part, defs, depth) : part));
  if (!isSchema(value)) return value;
  if (keyword !== 'properties') return plain(value, defs, depth);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, plain(field as JsonSchema, defs, depth + 1)]),
  );
}

/** An object that is nested too deep to be described in full: the service reads its members all the same. */
function namesOnly({ description = '' }: JsonSchema, members: JsonSchema): JsonSchema {
  const listed = Object.keys(members).map((name) => `\`${name}\``);
  return {
    type: 'object',
    description: `${forModels(String(description))} Members: ${listed.join(', ')}.`.trim(),
  };
}

/** A parameter that REST takes as a list or as one text, as the list. */
function listOf({ anyOf, ...said }: JsonSchema): JsonSchema | undefined {
  if (!Array.isArray(anyOf)) return undefined;
  const lists = (anyOf as JsonSchema[]).filter(({ type }) => type === 'array');
  const isOne =
    anyOf.length === 2 &&
    lists.length === 1 &&
    !anyOf.some((option) => isSchema(option) && option.type === 'null');
  return isOne ? { ...lists[0], ...said } : undefined;
}

const isSchema = (value: Json | undefined): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNoBound = (value: unknown): boolean =>
  value === Number.MIN_SAFE_INTEGER || value === Number.MAX_SAFE_INTEGER;
