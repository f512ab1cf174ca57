import { resolve, type Schema } from '../../fuzz/documents.ts';

/** Of an array without a bound of its own. */
const manyItems = 100;

/** A value with every member that the schema has, and arrays as long as they may be; a thousand items at most. */
export function fullOf(document: Schema, part: unknown, at = 0): unknown {
  const schema = resolve(document, part);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ('const' in schema) return schema.const;
  const options = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray);
  if (options !== undefined) return fullOf(document, options[0], at);
  const properties = Object.entries((schema.properties ?? {}) as Record<string, unknown>);
  if (properties.length > 0)
    return Object.fromEntries(properties.map(([name, member]) => [name, fullOf(document, member, at)]));
  const [type] = [schema.type].flat();
  if (type === 'array') {
    const length = Math.min(Number(schema.maxItems ?? manyItems), 1_000);
    return Array.from({ length }, (_, index) => fullOf(document, schema.items, index));
  }
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  return schema.format === undefined && schema.example === undefined ? `text ${at}` : textOf(schema, at);
}

// Items of one array differ in what names them.
function textOf({ example, format }: Schema, at: number): unknown {
  if (format !== undefined || typeof example !== 'string' || /^(https?:|[0-9a-f]{8}-)/.test(example))
    return example;
  return `${example}${at}`;
}
