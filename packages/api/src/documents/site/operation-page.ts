import type { oas31 } from 'zod-openapi';
import { type Documented, titleOf } from './documented.ts';
import { errorTable } from './error-rows.ts';
import { fence, prose, table } from './markdown.ts';
import { parametersOf } from './parameters.ts';
import { sampleCall, sampleLanguages } from './samples.ts';
import { boundsOf, fieldTables, resolve, type Schemas, typeOf } from './schema-rows.ts';

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
