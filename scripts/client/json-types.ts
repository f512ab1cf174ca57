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
  not?: JsonSchema;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  description?: string;
  default?: unknown;
}

/** Which way the values go. An input may have `undefined` for a field that it leaves out. */
export type Way = 'input' | 'output';

/**
 * The TypeScript type of the values that a schema accepts. A `$ref` becomes the name that it refers to. Throws on
 * a type that it does not know.
 */
export function typeOf(schema: JsonSchema, way: Way): string {
  const typeOfPart = (part: JsonSchema) => {
    const isCompound = part.enum !== undefined || (part.anyOf ?? part.oneOf ?? part.allOf) !== undefined;
    return isCompound ? `(${typeOf(part, way)})` : typeOf(part, way);
  };
  if (schema.$ref !== undefined) return refName(schema.$ref);
  if (schema.not !== undefined) return 'never';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map((choice) => typeOf(choice, way)));
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
      return pageType(schema) ?? objectType(schema, way);
  }
  throw new Error(`no type is known for ${JSON.stringify(schema)}`);
}

/** A comment for editors, or '' when there is nothing to say. */
export function comment(...sentences: (string | undefined)[]): string {
  const text = sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' ');
  return text === '' ? '' : `/** ${text.replaceAll('*/', '*\\/')} */\n`;
}

/** The same with an example below. */
export function commentWithExample(text: string, example: string): string {
  const lines = [text, '', '@example', ...example.split('\n')];
  return `/**\n${lines.map((line) => ` * ${line.replaceAll('*/', '*\\/')}`.trimEnd()).join('\n')}\n */\n`;
}

/** Moves every line of a text one step in. */
export const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ');

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema, way: Way): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const byDefault = 'default' in schema ? `Default: ${JSON.stringify(schema.default)}.` : undefined;
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(schema, way);
    const isRequired = required.includes(name);
    const orNothing = isRequired || way === 'output' ? '' : undefinedToo;
    return `${comment(schema.description, byDefault)}${key}${isRequired ? '' : '?'}: ${type}${orNothing};`;
  });
  if (typeof additionalProperties === 'object') {
    const isOpen = Object.keys(additionalProperties).length === 0;
    const value = isOpen ? 'unknown' : typeOf(additionalProperties, way);
    // As zod names it: tRPC distinguishes the keys of an index signature from those of a record.
    if (members.length === 0) return `Record<string, ${value}>`;
    members.push(`[key: string]: ${value};`);
  }
  return members.length === 0 ? 'Record<string, never>' : `{\n${indent(members.join('\n'))}\n}`;
}

/** `Page<Order>`, of a list's answer; the name follows from that of its pagination. */
function pageType({ properties = {} }: JsonSchema): string | undefined {
  const { data, pagination, ...others } = properties;
  if (data?.items?.$ref === undefined || pagination?.$ref === undefined) return undefined;
  return Object.keys(others).length > 0
    ? undefined
    : `${pageName(refName(pagination.$ref))}<${refName(data.items.$ref)}>`;
}

/** The answer of a list that has this pagination: `Pagination` makes a `Page`. */
export const pageName = (pagination: string): string => pagination.replace(/Pagination$/, 'Page');

/** The suffix that distinguishes the type of an optional field as input from that as output. */
export const undefinedToo = ' | undefined';

const union = (types: string[]): string => [...new Set(types)].join(' | ');
const refName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
