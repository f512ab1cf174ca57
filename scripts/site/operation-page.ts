import type { oas31 } from 'zod-openapi';
import { type Documented, titleOf } from './documented.ts';
import { fence, prose, table } from './markdown.ts';
import { parametersOf } from './parameters.ts';
import { sampleCall, sampleLanguages } from './samples.ts';
import { boundsOf, fieldTables, resolve, type Schemas, typeOf } from './schema-rows.ts';

/** The page of one operation: what it takes, what it answers, how it refuses, and a call to paste. */
export function operationPage(each: Documented): string {
  const { method, path, operation, components } = each;
  const schemas = (components.schemas ?? {}) as Schemas;
  return [
    `# ${titleOf(each)}`,
    fence('http', `${method} ${path}`),
    prose(operation.description ?? ''),
    tryLine(each),
    ...parameterSection(each, schemas),
    ...bodySection(operation, schemas),
    '## Call',
    samples(each),
    ...answerSection(operation, schemas),
    '## Errors',
    errorTable(each),
    '',
  ].join('\n\n');
}

function tryLine({ version, operation }: Documented): string {
  const tag = encodeURIComponent(operation.tags?.[0] ?? '');
  const permission = (operation as { 'x-permission'?: string })['x-permission'];
  const page = `/docs/try?version=${version}#/${tag}/${operation.operationId}`;
  const may = permission === undefined ? 'any key' : `a key that may only do \`${permission}\``;
  return `[Try it](${page}){target="_self"}: with ${may}, of a location that you test with.`;
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
  return ['## Parameters', table(['Name', 'In', 'Type', 'Needed', 'What it is'], rows)];
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
    table(['Field', 'Type', needed, 'What it is'], rows),
  ]);

function errorTable({ operation, components }: Documented): string {
  const rows = Object.entries(operation.responses ?? {})
    .filter(([status]) => /^[45]/.test(status))
    .map(([status, referred]) => {
      const name = (referred as oas31.ReferenceObject).$ref.replace('#/components/responses/', '');
      const { description = '', content } = (components.responses?.[name] ?? {}) as oas31.ResponseObject;
      const code = content?.['application/json']?.example?.error?.code ?? '';
      return [status, `[\`${code}\`](../../errors.md#${code})`, prose(description)];
    });
  return table(['Status', 'Code', 'When'], rows);
}

/** A call to paste, in each language. */
function samples(each: Documented): string {
  const call = sampleCall(each);
  const blocks = sampleLanguages.map(({ name, fence: language, write }) =>
    fence(`${language} [${name}]`, write(call)),
  );
  return ['::: code-group', ...blocks, ':::'].join('\n\n');
}
