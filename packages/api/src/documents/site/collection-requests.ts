import type { oas31 } from 'zod-openapi';
import { type Documented, documentedOf, isStream, parametersOf, titleOf } from './documented.ts';
import { now, type SampleCall, type SampleVariable } from './sample-writers.ts';
import { sampleCall } from './samples.ts';

/** What the reader of a collection does with it. */
export const collectionUse =
  'Set COMANDA_URL and COMANDA_KEY. Each request sets the ids that it needs from the demo restaurant of a sandbox.';

/** The URL of the service until the reader sets another. */
export const collectionUrl = 'http://127.0.0.1:3000';

/** The requests of a tag of a document. */
export interface CollectionFolder {
  name: string;
  description?: string;
  requests: CollectionRequest[];
}

/** A request of a collection. Ids in its texts are variables: `{{ORDER}}`. */
export interface CollectionRequest {
  name: string;
  description?: string;
  method: string;
  /** With what is sent of the query: `{{COMANDA_URL}}/v2/orders/{{ORDER}}`. */
  url: string;
  /** Without the query: `/v2/orders/{{ORDER}}`. */
  path: string;
  query: CollectionQuery[];
  headers: [name: string, value: string][];
  /** The JSON body, if any. */
  body?: string;
  /** The calls before it, in their order: each sets a variable. */
  steps: CollectionStep[];
  /** Of the answer: `201`. */
  status: string;
}

interface CollectionQuery {
  name: string;
  value: string;
  description?: string;
  isSent: boolean;
}

/** A call that sets a variable by the first match of a pattern in its answer. `now` in key and body is the present time. */
export interface CollectionStep {
  name: string;
  method: string;
  path: string;
  pattern: string;
  body?: string;
  key?: string;
}

/** The requests of a document by tag, from the calls of the samples. A stream, which does not end, is left out. */
export function collectionFolders(version: 'v1' | 'v2', document: oas31.OpenAPIObject): CollectionFolder[] {
  const operations = documentedOf(version, document).filter((each) => !isStream(each));
  return (document.tags ?? [])
    .map(({ name, description }) => ({
      name,
      ...(description !== undefined && { description }),
      requests: operations.filter(({ operation }) => operation.tags?.includes(name)).map(requestOf),
    }))
    .filter(({ requests }) => requests.length > 0);
}

function requestOf(each: Documented): CollectionRequest {
  const { operation, components } = each;
  const call = sampleCall(each);
  const address = named(call.path, call.variables);
  const [path = '', query = ''] = address.split('?');
  const sent = [...new URLSearchParams(query)].map(([name, value]) => ({ name, value, isSent: true }));
  // Some filters exclude each other: a reader switches on the one they want.
  const others = parametersOf(operation, components)
    .filter((parameter) => parameter.in === 'query' && !parameter.required)
    .map(({ name, example, description }) => ({
      name,
      value: example === undefined ? '' : String(example),
      isSent: false,
      ...(description !== undefined && { description }),
    }));
  return {
    name: titleOf(each),
    method: call.method,
    url: `{{COMANDA_URL}}${address}`,
    path,
    query: [...sent, ...others],
    ...(operation.description !== undefined && { description: operation.description }),
    headers: call.headers,
    ...(call.body !== undefined && { body: named(JSON.stringify(call.body, null, 2), call.variables) }),
    steps: stepsOf(call),
    status: Object.keys(operation.responses ?? {}).find((code) => code.startsWith('2')) ?? '',
  };
}

const named = (text: string, variables: readonly SampleVariable[]) =>
  variables.reduce((left, { name, example }) => left.replaceAll(example, `{{${name}}}`), text);

function stepsOf({ variables }: SampleCall): CollectionStep[] {
  return variables.map(({ name, call, body, key, before = '"id":"', after = '' }) => {
    const [method = '', path = ''] = call.split(' ');
    return {
      name,
      method,
      path: named(path, variables),
      pattern: `${before}([^"]*)"${after}`,
      ...(body !== undefined && { body: named(JSON.stringify(body), variables) }),
      ...(key !== undefined && { key }),
    };
  });
}

/** The lines of a script that define the steps. The script defines `get`, the value of a variable, and `fill`, a text with their values. */
export function stepLines(steps: readonly CollectionStep[]): string[] {
  return [
    `const steps = ${JSON.stringify(steps, null, 2)};`,
    `const filled = (text) => fill(text.replaceAll('${now}', String(Date.now())));`,
    "const urlOf = (step) => get('COMANDA_URL') + filled(step.path);",
    'const headersOf = (step) => ({',
    "  Authorization: 'Bearer ' + get('COMANDA_KEY'),",
    "  'Content-Type': 'application/json',",
    "  ...(step.key && { 'Idempotency-Key': filled(step.key) }),",
    '});',
  ];
}
