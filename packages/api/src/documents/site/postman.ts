import type { oas31 } from 'zod-openapi';
import {
  type CollectionRequest,
  type CollectionStep,
  collectionFolders,
  collectionUrl,
  collectionUse,
  stepLines,
} from './collection-requests.ts';

/** A document as a Postman collection (v2.1): a folder for each tag. Its variables are `COMANDA_URL` and `COMANDA_KEY`. */
export function postmanCollection(version: 'v1' | 'v2', document: oas31.OpenAPIObject): object {
  return {
    info: {
      name: document.info.title,
      description: collectionUse,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{COMANDA_KEY}}', type: 'string' }] },
    variable: [
      { key: 'COMANDA_URL', value: collectionUrl },
      { key: 'COMANDA_KEY', value: '' },
    ],
    item: collectionFolders(version, document).map(({ name, description, requests }) => ({
      name,
      description,
      item: requests.map(itemOf),
    })),
  };
}

function itemOf(request: CollectionRequest): object {
  const { name, description, method, url, path, query, headers, body, steps, status } = request;
  const script = (listen: string, lines: string[]) => ({
    listen,
    script: { type: 'text/javascript', exec: lines },
  });
  return {
    name,
    event: [
      ...(steps.length === 0 ? [] : [script('prerequest', setter(steps))]),
      script('test', [`pm.test('is answered ${status}', () => pm.response.to.have.status(${status}));`]),
    ],
    request: {
      method,
      description,
      header: headers.map(([key, value]) => ({ key, value })),
      url: {
        raw: url,
        host: ['{{COMANDA_URL}}'],
        path: path.slice(1).split('/').map(decodeURIComponent),
        ...(query.length > 0 && {
          query: query.map(({ name: key, value, description, isSent }) => ({
            key,
            value,
            description,
            ...(!isSent && { disabled: true }),
          })),
        }),
      },
      ...(body !== undefined && { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
    },
  };
}

/** The script, line by line, that sets the variables of a request before it is sent, one call after the other. */
function setter(steps: readonly CollectionStep[]): string[] {
  return [
    'const get = (name) => pm.variables.get(name);',
    'const fill = (text) => pm.variables.replaceIn(text);',
    ...stepLines(steps),
    'const set = ([step, ...rest]) => {',
    '  if (!step) return;',
    "  const body = step.body && { mode: 'raw', raw: filled(step.body) };",
    '  pm.sendRequest({ url: urlOf(step), method: step.method, header: headersOf(step), body }, (error, answer) => {',
    "    const [, id] = new RegExp(step.pattern).exec(error ? '' : answer.text()) || [];",
    "    if (!id) throw new Error(step.name + ' cannot be set: ' + (error || answer.text()));",
    '    pm.collectionVariables.set(step.name, id);',
    '    set(rest);',
    '  });',
    '};',
    'set(steps);',
  ];
}
