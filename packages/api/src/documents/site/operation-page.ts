import type { oas31 } from 'zod-openapi';
import { type Documented, parametersOf, titleOf } from './documented.ts';
import { errorTable } from './errors-page.ts';
import { fence, prose, table } from './markdown.ts';
import { sampleCall, sampleLanguages } from './samples.ts';

/**
 * The page of one operation: what it takes, what it answers, how it refuses, and a call to paste.
 * @param shared the statuses of errors that another page describes for all operations
 */
export function operationPage(each: Documented, shared: ReadonlySet<string>): string {
  const { method, path, operation, components } = each;
  const schemas = (components.schemas ?? {}) as Schemas;
  return [
    `# ${titleOf(each)}`,
    fence('http', `${method} ${path}`),
    prose(operation.description ?? ''),
    ...parameterSection(each, schemas),
    ...bodySection(operation, schemas),
    '## Call',
    samples(each),
    ...trySection(each),
    ...answerSection(operation, schemas),
    ...errorSection(each, shared),
    '',
  ].join('\n\n');
}

/** The theme puts the form below these words, by their heading. */
function trySection({ operation }: Documented): string[] {
  const permission = (operation as { 'x-permission'?: string })['x-permission'];
  const needed = permission === undefined ? '' : `, with the permission \`${permission}\``;
  return [
    '### Try it',
    'A form on this page sends the call to this server and shows the answer. ' +
      `It takes a key of a [sandbox](../../guides/sandbox.md), which begins with \`cmd_test_\`${needed}.`,
  ];
}

function parameterSection({ operation, components }: Documented, schemas: Schemas): string[] {
  const parameters = parametersOf(operation, components);
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, in: place, required, schema = {}, description = '' }) => {
    const bounds = boundsOf(resolve(schema, schemas));
    return [
      `\`${name}\``,
      place,
      typeOf(schema, schemas),
      required ? 'yes' : '',
      [prose(description), bounds === '' ? '' : `${bounds}.`].filter((part) => part !== '').join(' '),
    ];
  });
  return ['## Parameters', table(['Name', 'In', 'Type', 'Needed', 'Description'], rows)];
}

function bodySection({ requestBody }: oas31.OperationObject, schemas: Schemas): string[] {
  const content = (requestBody as oas31.RequestBodyObject | undefined)?.content['application/json'];
  if (content?.schema === undefined) return [];
  return ['## Body', ...tables(content.schema, schemas, 'Needed')];
}

function answerSection({ responses }: oas31.OperationObject, schemas: Schemas): string[] {
  const [status = '', found] = Object.entries(responses ?? {}).find(([code]) => code.startsWith('2')) ?? [];
  const { content, headers } = found as oas31.ResponseObject;
  const [type, { schema, example } = {}] = Object.entries(content ?? {})[0] ?? ['application/json'];
  const own = Object.keys(headers ?? {}).map((name) => `\`${name}\``);
  return [
    `## Answer: ${status}`,
    type === 'application/json'
      ? fence('json', JSON.stringify(example, null, 2))
      : fence('text', String(example).trimEnd()),
    ...(schema === undefined || type !== 'application/json' ? [] : tables(schema, schemas, 'Always')),
    `Headers: ${own.join(', ')}.`,
  ];
}

const tables = (schema: Parameters<typeof fieldTables>[0], schemas: Schemas, needed: string): string[] =>
  fieldTables(schema, schemas).flatMap(({ of, rows }) => [
    ...(of === undefined ? [] : [of]),
    table(['Field', 'Type', needed, 'Description'], rows),
  ]);

function errorSection(each: Documented, shared: ReadonlySet<string>): string[] {
  const own = errorTable(each, '../../errors.md', (status) => !shared.has(status));
  const others = '[errors of every operation](../../errors.md#errors-of-every-operation)';
  return [
    '## Errors',
    own === '' ? `The ${others}.` : `These, and the ${others}:`,
    ...(own === '' ? [] : [own]),
  ];
}

/** A call to paste, in each language. */
function samples(each: Documented): string {
  const call = sampleCall(each);
  const blocks = sampleLanguages.map(({ name, fence: language, write }) =>
    fence(`${language} [${name}]`, write(call)),
  );
  return ['::: code-group', ...blocks, ':::'].join('\n\n');
}

type Schema = oas31.SchemaObject;
type Referred = Schema | oas31.ReferenceObject;
/** `components.schemas` of a document. */
type Schemas = Record<string, Referred>;

/** Fields: each as `items[].quantity`, its type, whether it is required, and its description. */
interface FieldTable {
  /** Which part of the body they are of, and when; the first table has the body itself. */
  of?: string;
  rows: string[][];
}

/**
 * The tables of a body: its fields, then those of each part whose fields depend on a tag, as an event's on its type.
 */
function fieldTables(schema: Referred, schemas: Schemas): FieldTable[] {
  const kinds: FieldTable[] = [];
  const rows = fieldsOf(schema, { schemas, kinds, above: new Set() }, '');
  return [{ rows }, ...kinds];
}

/** `1 to 200, default 50`: what a value must keep to, and what it is when left out. */
function boundsOf(schema: Schema): string {
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
function typeOf(referred: Referred, schemas: Schemas): string {
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
function resolve(referred: Referred, schemas: Schemas): Schema {
  if (!('$ref' in referred) || referred.$ref === undefined) return referred as Schema;
  const found = schemas[referred.$ref.replace('#/components/schemas/', '')];
  if (found === undefined) throw new Error(`${referred.$ref} is not in the document`);
  return resolve(found, schemas);
}

interface Within {
  schemas: Schemas;
  /** Takes the tables of parts that depend on a tag. */
  kinds: FieldTable[];
  above: ReadonlySet<Schema>;
}

function fieldsOf(referred: Referred, within: Within, prefix: string): string[][] {
  const { schemas, above } = within;
  const schema = resolve(referred, schemas);
  if (above.has(schema)) return [];
  const inside = { ...within, above: new Set([...above, schema]) };
  if (schema.type === 'array') return fieldsOf(schema.items ?? {}, inside, `${prefix}[]`);
  const options = (schema.oneOf ?? schema.anyOf ?? []).map((option) => resolve(option, schemas));
  const tag = Object.keys(options[0]?.properties ?? {}).find((name) =>
    options.every((option) => constOf(option, name, schemas) !== undefined),
  );
  if (tag !== undefined && options.length > 1) return taggedRows(options, tag, inside, prefix);
  if (options.length > 0) return merged(options.flatMap((each) => fieldsOf(each, inside, prefix)));
  return Object.keys(schema.properties ?? {}).flatMap((name) => fieldRows(schema, name, inside, prefix));
}

/** The row of a field, and those of what it holds. */
function fieldRows(schema: Schema, name: string, within: Within, prefix: string): string[][] {
  const path = prefix === '' ? name : `${prefix}.${name}`;
  const property = schema.properties?.[name] ?? {};
  const needed = schema.required?.includes(name) ? 'yes' : '';
  return [
    [`\`${path}\``, typeOf(property, within.schemas), needed, saidOf(property, within.schemas)],
    ...fieldsOf(property, within, path),
  ];
}

/** Fields of the same shape are in this table; a field with others, as its kind says, refers to tables of its own. */
function taggedRows(options: Schema[], tag: string, within: Within, prefix: string): string[][] {
  const kindsOf = (some: readonly Schema[]) =>
    some.map((option) => `\`${constOf(option, tag, within.schemas)}\``).join(', ');
  const names = [...new Set(options.flatMap(({ properties }) => Object.keys(properties ?? {})))];
  return names.flatMap((name) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const having = options.filter(({ properties }) => properties?.[name] !== undefined);
    const needed = options.every(({ required }) => required?.includes(name)) ? 'yes' : '';
    if (name === tag) return [[`\`${path}\``, kindsOf(options), needed, '']];
    const shapes = new Map<string, Schema[]>();
    for (const option of having) {
      const shape = JSON.stringify(option.properties?.[name]);
      shapes.set(shape, [...(shapes.get(shape) ?? []), option]);
    }
    const [[, type = '', , said = ''] = [], ...inner] = merged(
      having.flatMap((option) => fieldRows(option, name, { ...within, kinds: [] }, prefix)),
    );
    const only = having.length === options.length ? '' : `Where \`${tag}\` is ${kindsOf(having)}. `;
    if (shapes.size === 1 || inner.length === 0)
      return [[`\`${path}\``, type, needed, `${only}${said}`.trim()], ...inner];
    for (const alike of shapes.values()) {
      const rows = fieldsOf(alike[0]?.properties?.[name] ?? {}, within, '');
      if (rows.length > 0)
        within.kinds.push({ of: `\`${path}\` where \`${tag}\` is ${kindsOf(alike)}:`, rows });
    }
    return [[`\`${path}\``, type, needed, `${only}As \`${tag}\` says: below.`]];
  });
}

function constOf({ properties }: Schema, name: string, schemas: Schemas): unknown {
  const property = properties?.[name];
  return property === undefined ? undefined : resolve(property, schemas).const;
}

// The kinds of an entry share fields: a field is listed once, with every type it may have.
function merged(rows: string[][]): string[][] {
  const byPath = new Map<string, string[]>();
  for (const [path = '', type = '', needed = '', said = ''] of rows) {
    const known = byPath.get(path);
    if (known === undefined) byPath.set(path, [path, type, needed, said]);
    else known[1] = [...new Set(`${known[1]}, ${type}`.split(', '))].join(', ');
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
