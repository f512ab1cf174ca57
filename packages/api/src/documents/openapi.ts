import type { AnyRouter } from '@trpc/server';
import type { oas31 } from 'zod-openapi';
import { deprecations } from '../deprecations.ts';
import { ErrorBody } from '../errors.ts';
import { deprecatedRoutes } from '../request/deprecation.ts';
import { inFamily, operationsOf, type Route } from '../request/operations.ts';
import { faults } from '../request/simulation.ts';
import { complete } from './complete.ts';
import { components } from './components.ts';
import { asStream, documentedStreams } from './event-stream.ts';
import { tagsOf } from './tags.ts';
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
  announced = deprecations,
): Promise<oas31.OpenAPIObject> {
  // Loaded with the first document: it brings adapters for every server, which cost a third of a second.
  const { generateOpenApiDocument } = await import('trpc-to-openapi');
  const operations = operationsOf(router);
  const deprecated = deprecatedRoutes(operations, announced);
  const documented = operations.flatMap((operation) =>
    operation.routes
      .filter((route) => route.version === version)
      .map((route) => ({
        operation: inFamily(operation, version),
        route,
        ending: deprecated.get(`${route.method} ${route.path}`),
      })),
  );
  const streams = version === 'v2' ? documentedStreams(router) : [];
  const events = version === 'v2' ? webhooks() : {};
  const { openapi, info, ...generated } = generateOpenApiDocument(routerView([...documented, ...streams]), {
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
    tags: [...tagsOf(documented.map(({ operation }) => operation)), ...(version === 'v2' ? [eventTag] : [])],
    paths: {
      ...completePaths(generated.paths ?? {}, documented, schemas),
      // Their answers are named in asStream(): the envelope of an answer does not apply to them.
      ...streamPaths(completePaths(generated.paths ?? {}, streams, { ...schemas })),
    },
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
  // No description: the official schema of 3.1 refuses one here by mistake, and validators hold to it.
  variables: { base_url: { default: 'http://127.0.0.1:3000' } },
};

function about(version: Route['version']) {
  return {
    title: `Comanda ordering API ${version}`,
    version: version === 'v1' ? '1.0.0' : '2.0.0',
    description: [
      'Orders, catalog, stock, payments and webhooks of a food-ordering location.\n\n',
      'Every call carries an API key as a bearer credential. A success answers `{ data }`, a list also `pagination`,',
      'an error `{ error: { code, message, request_id } }`, with the reason in `X-Error-Reason`, which `/docs/errors` explains. A request may carry an `X-Request-Id` of its own',
      '(1 to 128 of `A-Z a-z 0-9 . _ -`); the answer repeats it.\n\n',
      'Fields of a body that are not known are ignored and named in `X-Ignored-Fields`; `Prefer: handling=strict` refuses',
      'them. Optional fields without a value are left out. Money has 2 decimals,',
      'quantities have 3: `x-decimals` says how many decimals a number may have. `x-excludes` names parameters that must not be given',
      "next to one. No text may hold U+0000. Timestamps carry the offset of the location's time zone.\n\n",
      'Keys that begin with `cmd_test_` belong to a sandbox. With them `X-Comanda-Simulate` plays a fault, which the answer',
      `names in \`X-Comanda-Simulated\`: ${simulated}.`,
    ].join(' '),
    contact: { name: 'Comanda' },
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  };
}

const simulated = Object.entries(faults)
  .map(([name, { does }]) => `\`${name}\` (${does})`)
  .join('; ');

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

function streamPaths(paths: oas31.PathsObject): oas31.PathsObject {
  return Object.fromEntries(
    Object.entries(paths).map(([path, { get }]) => [path, get === undefined ? {} : { get: asStream(get) }]),
  );
}

function pick(paths: oas31.PathsObject, names: readonly string[]): oas31.PathsObject {
  return Object.fromEntries(Object.entries(paths).filter(([name]) => names.includes(name)));
}
