import type { oas31 } from 'zod-openapi';
import { type Documented, documentedOf, isStream, parametersOf, titleOf } from './documented.ts';
import { now, type SampleCall, type SampleVariable } from './sample-writers.ts';
import { sampleCall } from './samples.ts';

/**
 * A document as a Postman collection (v2.1): a folder for each tag, the calls of the samples, and what they need set before each is
 * sent. Its variables are `COMANDA_URL` and `COMANDA_KEY`. A stream, which does not end, is left out.
 */
export function postmanCollection(version: 'v1' | 'v2', document: oas31.OpenAPIObject): object {
  const operations = documentedOf(version, document).filter((each) => !isStream(each));
  return {
    info: {
      name: document.info.title,
      description:
        'Set COMANDA_URL and COMANDA_KEY. Each request sets the ids that it needs from the demo restaurant of a sandbox.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{COMANDA_KEY}}', type: 'string' }] },
    variable: [
      { key: 'COMANDA_URL', value: 'http://127.0.0.1:3000' },
      { key: 'COMANDA_KEY', value: '' },
    ],
    item: (document.tags ?? [])
      .map(({ name, description }) => ({
        name,
        description,
        item: operations.filter(({ operation }) => operation.tags?.includes(name)).map(itemOf),
      }))
      .filter(({ item }) => item.length > 0),
  };
}

function itemOf(each: Documented): object {
  const call = sampleCall(each);
  const status = Object.keys(each.operation.responses ?? {}).find((code) => code.startsWith('2'));
  const script = (listen: string, lines: string[]) => ({
    listen,
    script: { type: 'text/javascript', exec: lines },
  });
  return {
    name: titleOf(each),
    event: [
      ...(call.variables.length === 0 ? [] : [script('prerequest', postmanSetter(call.variables))]),
      script('test', [`pm.test('is answered ${status}', () => pm.response.to.have.status(${status}));`]),
    ],
    request: requestOf(each, call),
  };
}

function requestOf(each: Documented, call: SampleCall): object {
  const named = (text: string) =>
    call.variables.reduce((left, { name, example }) => left.replaceAll(example, `{{${name}}}`), text);
  const [path = '', query = ''] = named(call.path).split('?');
  const sent = [...new URLSearchParams(query)].map(([key, value]) => ({ key, value }));
  const parameters = parametersOf(each.operation, each.components);
  // Some filters exclude each other: a reader switches on the one they want.
  const others = parameters
    .filter((parameter) => parameter.in === 'query' && !parameter.required)
    .map(({ name, example, description }) => ({
      ...{ key: name, value: example === undefined ? '' : String(example), disabled: true },
      ...(description !== undefined && { description }),
    }));
  const queries = [...sent, ...others];
  return {
    method: call.method,
    description: each.operation.description,
    header: call.headers.map(([key, value]) => ({ key, value })),
    url: {
      raw: `{{COMANDA_URL}}${named(call.path)}`,
      host: ['{{COMANDA_URL}}'],
      path: path.slice(1).split('/').map(decodeURIComponent),
      ...(queries.length > 0 && { query: queries }),
    },
    ...(call.body !== undefined && {
      body: {
        mode: 'raw',
        raw: named(JSON.stringify(call.body, null, 2)),
        options: { raw: { language: 'json' } },
      },
    }),
  };
}

/** The script, line by line, that sets the variables of a request before it is sent, one call after the other. */
function postmanSetter(variables: readonly SampleVariable[]): string[] {
  const steps = variables.map(({ name, call, body, key, before = '"id":"', after = '' }) => {
    const [method, path = ''] = call.split(' ');
    const named = (text: string) =>
      variables.reduce((left, each) => left.replaceAll(each.example, `{{${each.name}}}`), text);
    return {
      ...{ name, method, path: named(path), pattern: `${before}([^"]*)"${after}` },
      ...(body !== undefined && { body: named(JSON.stringify(body)) }),
      ...(key !== undefined && { key }),
    };
  });
  return [
    `const steps = ${JSON.stringify(steps, null, 2)};`,
    `const filled = (text) => pm.variables.replaceIn(text.replaceAll('${now}', String(Date.now())));`,
    'const set = ([step, ...rest]) => {',
    '  if (!step) return;',
    '  const header = {',
    "    Authorization: 'Bearer ' + pm.variables.get('COMANDA_KEY'),",
    "    'Content-Type': 'application/json',",
    "    ...(step.key && { 'Idempotency-Key': filled(step.key) }),",
    '  };',
    "  const body = step.body && { mode: 'raw', raw: filled(step.body) };",
    "  pm.sendRequest({ url: pm.variables.get('COMANDA_URL') + filled(step.path), method: step.method, header, body }, (error, answer) => {",
    "    const [, id] = new RegExp(step.pattern).exec(error ? '' : answer.text()) || [];",
    "    if (!id) throw new Error(step.name + ' cannot be set: ' + (error || answer.text()));",
    '    pm.collectionVariables.set(step.name, id);',
    '    set(rest);',
    '  });',
    '};',
    'set(steps);',
  ];
}
