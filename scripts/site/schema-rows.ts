import type { oas31 } from 'zod-openapi';
import { prose } from './markdown.ts';

type Schema = oas31.SchemaObject;
type Referred = Schema | oas31.ReferenceObject;
/** `components.schemas` of a document. */
export type Schemas = Record<string, Referred>;

/** The rows of a body: field as `items[].quantity`, type, whether it must be there, and what is said of it. */
export function schemaRows(schema: Referred, schemas: Schemas): string[][] {
  return fieldsOf(schema, schemas, '', new Set());
}

/** `1 to 200, default 50`: what a value must keep to, and what it is when left out. */
export function boundsOf(schema: Schema): string {
  const { minLength, maxLength, minItems, maxItems, minimum, exclusiveMinimum, maximum } = schema;
  const above = exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`;
  const parts = [
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' entries'),
    above === undefined
      ? range(minimum, maximum, '')
      : [above, range(undefined, maximum, '')].filter((part) => part !== '').join(', '),
    schema.default === undefined ? '' : `default \`${JSON.stringify(schema.default)}\``,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** The type in words: `string (date)`, `array of string`, or the values it may have. */
export function typeOf(referred: Referred, schemas: Schemas): string {
  const schema = resolve(referred, schemas);
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {}, schemas)}`;
  const options = schema.oneOf ?? schema.anyOf;
  if (options !== undefined)
    return [...new Set(options.map((option) => typeOf(option, schemas)))].join(' or ');
  const format = schema.format === undefined ? '' : ` (${schema.format})`;
  return schema.type === undefined ? 'anything' : `${schema.type}${format}`;
}

/** The schema itself, when it is named elsewhere. */
export function resolve(referred: Referred, schemas: Schemas): Schema {
  if (!('$ref' in referred) || referred.$ref === undefined) return referred as Schema;
  const found = schemas[referred.$ref.replace('#/components/schemas/', '')];
  if (found === undefined) throw new Error(`${referred.$ref} is not in the document`);
  return resolve(found, schemas);
}

function fieldsOf(
  referred: Referred,
  schemas: Schemas,
  prefix: string,
  above: ReadonlySet<Schema>,
): string[][] {
  const schema = resolve(referred, schemas);
  if (above.has(schema)) return [];
  const inside = new Set([...above, schema]);
  if (schema.type === 'array') return fieldsOf(schema.items ?? {}, schemas, `${prefix}[]`, inside);
  const options = schema.oneOf ?? schema.anyOf ?? [];
  if (options.length > 0) return merged(options.flatMap((each) => fieldsOf(each, schemas, prefix, inside)));
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const needed = schema.required?.includes(name) ? 'yes' : '';
    return [
      [`\`${path}\``, typeOf(property, schemas), needed, saidOf(property, schemas)],
      ...fieldsOf(property, schemas, path, inside),
    ];
  });
}

// The kinds of an entry share fields: a field stands once, with every type it may have.
function merged(rows: string[][]): string[][] {
  const byPath = new Map<string, string[]>();
  for (const [path = '', type = '', needed = '', said = ''] of rows) {
    const known = byPath.get(path);
    if (known === undefined) byPath.set(path, [path, type, needed, said]);
    else if (known[1]?.split(', ').includes(type) === false) known[1] = `${known[1]}, ${type}`;
  }
  return [...byPath.values()];
}

function saidOf(property: Referred, schemas: Schemas): string {
  const schema = resolve(property, schemas);
  const said = prose(property.description ?? schema.description ?? '');
  const bounds = boundsOf(schema);
  return [said, bounds === '' ? '' : `${bounds.charAt(0).toUpperCase()}${bounds.slice(1)}.`]
    .filter((part) => part !== '')
    .join(' ');
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  if (from === undefined && to === undefined) return '';
  if (to === undefined) return from === 0 ? '' : `at least ${from}${unit}`;
  return from === undefined || from === 0 ? `at most ${to}${unit}` : `${from} to ${to}${unit}`;
}
