import type { oas31 } from 'zod-openapi';
import {
  type CollectionRequest,
  type CollectionStep,
  collectionFolders,
  collectionUrl,
  collectionUse,
  stepLines,
} from './collection-requests.ts';

/**
 * A document as a Bruno collection, in the JSON that Bruno imports and exports: a folder for each tag. Its environment `Comanda` has
 * `COMANDA_URL` and `COMANDA_KEY`, which Bruno keeps outside of the collection's files as a secret.
 */
export function brunoCollection(version: 'v1' | 'v2', document: oas31.OpenAPIObject): object {
  const variable = (name: string, value: string, secret: boolean) => ({
    name,
    value,
    type: 'text',
    enabled: true,
    secret,
  });
  return {
    name: document.info.title,
    version: '1',
    items: collectionFolders(version, document).map(({ name, description, requests }) => ({
      type: 'folder',
      name,
      root: { meta: { name }, docs: description, request: { auth: { mode: 'inherit' } } },
      items: requests.map(itemOf),
    })),
    environments: [
      {
        name: 'Comanda',
        variables: [variable('COMANDA_URL', collectionUrl, false), variable('COMANDA_KEY', '', true)],
      },
    ],
    root: {
      docs: collectionUse,
      request: { auth: { mode: 'bearer', bearer: { token: '{{COMANDA_KEY}}' } } },
    },
  };
}

function itemOf(request: CollectionRequest): object {
  const { name, description, method, url, query, headers, body, steps, status } = request;
  return {
    type: 'http-request',
    name,
    request: {
      // Bruno sends the query of the URL; the parameters show it.
      url,
      method,
      headers: headers.map(([key, value]) => ({ name: key, value, enabled: true })),
      params: query.map(({ isSent, ...each }) => ({ ...each, type: 'query', enabled: isSent })),
      auth: { mode: 'inherit' },
      body: body === undefined ? { mode: 'none' } : { mode: 'json', json: body },
      script: steps.length === 0 ? {} : { req: setter(steps).join('\n') },
      assertions: [{ name: 'res.status', value: `eq ${status}`, enabled: true }],
      docs: description,
    },
  };
}

/** The script that sets the variables of a request before it is sent, one call after the other. */
function setter(steps: readonly CollectionStep[]): string[] {
  return [
    'const get = (name) => bru.getEnvVar(name);',
    'const fill = (text) => bru.interpolate(text);',
    ...stepLines(steps),
    'for (const step of steps) {',
    '  const data = step.body && filled(step.body);',
    '  const answer = await bru.sendRequest({ url: urlOf(step), method: step.method, headers: headersOf(step), data });',
    '  const text = JSON.stringify(answer.data);',
    '  const [, id] = new RegExp(step.pattern).exec(text) || [];',
    "  if (!id) throw new Error(step.name + ' cannot be set: ' + text);",
    '  bru.setVar(step.name, id);',
    '}',
  ];
}
