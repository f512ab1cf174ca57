import type { AnyRouter } from '@trpc/server';
import type { oas31 } from 'zod-openapi';
import { ErrorBody } from '../errors.ts';
import { operationsOf, type Route } from '../operations.ts';
import { complete } from './complete.ts';
import { components } from './components.ts';
import { tagOf, tags } from './tags.ts';
import { tidy } from './tidy.ts';
import { type DocumentedRoute, routerView } from './view.ts';
import { deliveryHeaders, eventTag, webhooks } from './webhooks.ts';

/**
 * The OpenAPI 3.1 document of one path family, made by trpc-to-openapi from the operations that serve it, and
 * completed. Contract: documents.
 */
export async function openApiDocument(
  router: AnyRouter,
  version: Route['version'],
): Promise<oas31.OpenAPIObject> {
  // Loaded with the first document: it brings adapters for every server, which cost a third of a second.
  const { generateOpenApiDocument } = await import('trpc-to-openapi');
  const documented = operationsOf(router).flatMap((operation) =>
    operation.routes.filter((route) => route.version === version).map((route) => ({ operation, route })),
  );
  const events = version === 'v2' ? webhooks() : {};
  const { openapi, info, ...generated } = generateOpenApiDocument(routerView(documented), {
    ...about(version),
    openApiVersion: '3.1.0',
    baseUrl: server.url,
    securitySchemes: components.securitySchemes,
    // The generator has no option for webhooks: they pass as paths, so that they share its components.
    paths: events,
    defs: { Error: ErrorBody },
  }) as oas31.OpenAPIObject;
  const schemas: Record<string, unknown> = { ...generated.components?.schemas };
  return tidy({
    openapi,
    info,
    servers: [server],
    security: [{ apiKey: [] }],
    tags: [...tagsOf(documented), ...(version === 'v2' ? [eventTag] : [])],
    paths: completePaths(generated.paths ?? {}, documented, schemas),
    ...(version === 'v2' && { webhooks: pick(generated.paths ?? {}, Object.keys(events)) }),
    components: {
      ...generated.components,
      headers: components.headers,
      parameters: { ...components.parameters, ...deliveryHeaders },
      responses: components.responses,
      schemas: schemas as oas31.SchemasObject,
    },
  });
}

const server: oas31.ServerObject = {
  url: '{base_url}',
  description: 'Where your Comanda runs.',
  variables: { base_url: { default: 'http://127.0.0.1:3000', description: 'The base address.' } },
};

function about(version: Route['version']) {
  return {
    title: `Comanda ordering API ${version}`,
    version: version === 'v1' ? '1.0.0' : '2.0.0',
    description: [
      'Orders, catalog, stock, payments and webhooks of a food-ordering location.\n\n',
      'Every call carries an API key as a bearer credential. A success answers `{ data }`, a list also `pagination`,',
      'an error `{ error: { code, message, request_id } }`. A request may carry an `X-Request-Id` of its own',
      '(1 to 128 of `A-Z a-z 0-9 . _ -`); the answer repeats it.\n\n',
      'Fields of a body that are not known are ignored and named in `X-Ignored-Fields`; `Prefer: handling=strict` refuses',
      'them. Optional fields without a value are left out. Money has 2 decimals,',
      "quantities have 3. Timestamps carry the offset of the location's time zone.",
    ].join(' '),
    contact: { name: 'Comanda' },
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  };
}

function tagsOf(documented: readonly DocumentedRoute[]) {
  const used = new Set<string>(documented.map(({ operation }) => tagOf(operation)));
  return tags.filter(({ name }) => used.has(name));
}

function completePaths(
  generated: oas31.PathsObject,
  documented: readonly DocumentedRoute[],
  schemas: Record<string, unknown>,
): oas31.PathsObject {
  const paths: Record<string, Record<string, oas31.OperationObject>> = {};
  for (const each of documented) {
    const { path, method } = each.route;
    const verb = method.toLowerCase() as Lowercase<Route['method']>;
    const found = generated[path]?.[verb];
    if (found === undefined) throw new Error(`the generator left out ${method} ${path}`);
    paths[path] = { ...paths[path], [verb]: complete(found, each, schemas) };
  }
  return paths;
}

function pick(paths: oas31.PathsObject, names: readonly string[]): oas31.PathsObject {
  return Object.fromEntries(Object.entries(paths).filter(([name]) => names.includes(name)));
}
