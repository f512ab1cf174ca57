import { resolve, type Schema } from '../../fuzz/documents.ts';

/** Entries of an array that has no bound of its own. */
const manyEntries = 100;

/** Entries of all arrays of one value together: a value of more would take too long to make. */
const allEntries = 6_000;

/** A value with every member that the schema has, and arrays as long as their bounds. */
export function fullOf(document: Schema, part: unknown, at = 0, budget = { left: allEntries }): unknown {
  const schema = resolve(document, part);
  const inner = (of: unknown, index: number) => fullOf(document, of, index, budget);
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ('const' in schema) return schema.const;
  const options = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray);
  if (options !== undefined) return inner(options[0], at);
  const properties = Object.entries((schema.properties ?? {}) as Record<string, unknown>);
  if (properties.length > 0)
    return Object.fromEntries(properties.map(([name, member]) => [name, inner(member, at)]));
  const [type] = [schema.type].flat();
  if (type === 'array') {
    const entries: unknown[] = [];
    for (let index = 0; index < Number(schema.maxItems ?? manyEntries) && budget.left > 0; index += 1) {
      budget.left -= 1;
      entries.push(inner(schema.items, index));
    }
    return entries;
  }
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  return textOf(schema, at);
}

/** A text of the schema; entries of one array differ in what names them. */
function textOf({ example, format }: Schema, at: number): unknown {
  if (example === undefined && format === undefined) return `text ${at}`;
  const isFixed =
    format !== undefined || typeof example !== 'string' || /^(https?:|[0-9a-f]{8}-)/.test(example);
  return isFixed ? example : `${example}${at}`;
}
