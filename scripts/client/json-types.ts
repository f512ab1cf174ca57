/** A JSON Schema as zod writes it. */
export interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  description?: string;
  default?: unknown;
}

/**
 * The TypeScript type of the values that a schema accepts. A `$ref` becomes the name that it refers to. Throws on
 * a type that it does not know.
 */
export function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return refName(schema.$ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map(typeOf));
  if (schema.allOf !== undefined) return schema.allOf.map(typeOfPart).join(' & ');
  if (schema.type === undefined) return 'unknown';
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `${typeOfPart(schema.items ?? {})}[]`;
    case 'object':
      return objectType(schema);
  }
  throw new Error(`cannot tell the type of ${JSON.stringify(schema)}`);
}

/** A comment for editors, or '' when there is nothing to say. */
export function comment(...sentences: (string | undefined)[]): string {
  const text = sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' ');
  return text === '' ? '' : `/** ${text.replaceAll('*/', '*\\/')} */\n`;
}

/** Moves every line of a text one step in. */
export const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ');

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const byDefault = 'default' in schema ? `Default: ${JSON.stringify(schema.default)}.` : undefined;
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(schema);
    return `${comment(schema.description, byDefault)}${key}${required.includes(name) ? '' : '?'}: ${type};`;
  });
  if (typeof additionalProperties === 'object') {
    const isOpen = Object.keys(additionalProperties).length === 0;
    members.push(`[key: string]: ${isOpen ? 'unknown' : typeOf(additionalProperties)};`);
  }
  return members.length === 0 ? 'Record<string, never>' : `{\n${indent(members.join('\n'))}\n}`;
}

function typeOfPart(schema: JsonSchema): string {
  const isCompound =
    schema.enum !== undefined || (schema.anyOf ?? schema.oneOf ?? schema.allOf) !== undefined;
  return isCompound ? `(${typeOf(schema)})` : typeOf(schema);
}

const union = (types: string[]): string => [...new Set(types)].join(' | ');
const refName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
