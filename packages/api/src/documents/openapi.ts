import type { AnyRouter } from '@trpc/server';
import { z } from 'zod';
import { createDocument, type oas31, type ZodOpenApiOperationObject } from 'zod-openapi';
import { type Operation, operationsOf, type Route } from '../operations.ts';
import { components, errorResponses, errorsOf, headerReferences, successHeaders } from './components.ts';
import { exampleBody, exampleOf } from './examples.ts';
import { bodyName, operationId } from './names.ts';
import { tagOf, tags } from './tags.ts';
import { tidy } from './tidy.ts';
import { deliveryHeaders, eventTag, webhooks } from './webhooks.ts';

/** The OpenAPI 3.1 document of one path family, made from the operations that serve it. Contract: documents. */
export function openApiDocument(router: AnyRouter, version: Route['version']): oas31.OpenAPIObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  const bodies: Record<string, z.ZodObject> = {};
  const used = new Set<string>();
  for (const operation of operationsOf(router)) {
    for (const route of operation.routes.filter((each) => each.version === version)) {
      const path = paths[route.path] ?? {};
      paths[route.path] = path;
      path[route.method.toLowerCase()] = describe(operation, route, bodies);
      used.add(tagOf(operation));
    }
  }
  const document = createDocument({
    openapi: '3.1.0',
    info: info[version],
    servers: [
      {
        url: '{base_url}',
        description: 'Where your Comanda runs.',
        variables: { base_url: { default: 'http://127.0.0.1:3000', description: 'The base address.' } },
      },
    ],
    security: [{ apiKey: [] }],
    tags: [...tags.filter(({ name }) => used.has(name)), ...(version === 'v2' ? [eventTag] : [])],
    paths,
    components: {
      ...components,
      parameters: { ...components.parameters, ...deliveryHeaders },
      schemas: bodies,
    },
    ...(version === 'v2' && { webhooks: webhooks() }),
  });
  return tidy(document);
}

/** An operation's input, by where REST carries it: path, query, or body. */
export function inputParts({ input }: Operation, { path, method }: Route) {
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const fields = Object.entries(input.shape) as [string, z.ZodType][];
  const rest = fields.filter(([name]) => !inPath.has(name) && name !== 'idempotencyKey');
  const read = method === 'GET';
  return {
    path: Object.fromEntries(fields.filter(([name]) => inPath.has(name))),
    query: read ? Object.fromEntries(rest) : {},
    body: read ? {} : Object.fromEntries(rest),
  };
}

const info: Record<Route['version'], oas31.InfoObject> = { v1: about('v1'), v2: about('v2') };

function about(version: Route['version']): oas31.InfoObject {
  return {
    title: `Comanda ordering API ${version}`,
    version: version === 'v1' ? '1.0.0' : '2.0.0',
    description: [
      'Orders, catalog, stock, payments and webhooks of a food-ordering location.\n\n',
      'Every call carries an API key as a bearer credential. A success answers `{ data }`, a list also `pagination`,',
      'an error `{ error: { code, message, request_id } }`. A request may carry an `X-Request-Id` of its own',
      '(1 to 128 of `A-Z a-z 0-9 . _ -`); the answer repeats it.\n\n',
      'Fields that are not known are ignored; optional fields without a value are left out. Money has 2 decimals,',
      "quantities have 3. Timestamps carry the offset of the location's time zone.",
    ].join(' '),
    contact: { name: 'Comanda' },
    license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
  };
}

function describe(
  operation: Operation,
  route: Route,
  bodies: Record<string, z.ZodObject>,
): ZodOpenApiOperationObject {
  const { meta } = operation;
  const { path, query, body } = inputParts(operation, route);
  const needs = `Needs the permission \`${meta.permission}\`.`;
  const limits = meta.batch ? 'Counts against the batch limits of the key.' : undefined;
  return {
    operationId: operationId(operation),
    tags: [tagOf(operation)],
    summary: meta.summary,
    description: [meta.description, needs, limits].filter((part) => part !== undefined).join('\n\n'),
    'x-permission': meta.permission,
    ...(meta.idempotent && { parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }] }),
    requestParams: {
      ...(Object.keys(path).length > 0 && { path: z.object(path) }),
      ...(Object.keys(query).length > 0 && { query: z.object(query) }),
    },
    ...(Object.keys(body).length > 0 && { requestBody: requestBody(operation, body, bodies) }),
    responses: {
      [String(meta.status ?? 200)]: success(operation),
      ...errors(operation, route),
    },
  };
}

function requestBody(
  operation: Operation,
  shape: Record<string, z.ZodType>,
  bodies: Record<string, z.ZodObject>,
): NonNullable<ZodOpenApiOperationObject['requestBody']> {
  const { input } = operation;
  const name = bodyName(operation);
  const whole =
    input.meta()?.id !== undefined && Object.keys(shape).length === Object.keys(input.shape).length;
  const schema = whole ? input : (bodies[name] ?? z.object(shape));
  if (!whole) bodies[name] = schema;
  const required = Object.values(shape).some((field) => !field.safeParse(undefined).success);
  return { required, content: { 'application/json': { schema, example: exampleBody(operation) } } };
}

function success(operation: Operation) {
  const { meta, output } = operation;
  const example = exampleOf(output);
  return {
    description: successText[meta.status ?? 200],
    headers: headerReferences(successHeaders(meta)),
    content: {
      'application/json': {
        schema: meta.list ? output : z.object({ data: output }),
        example: meta.list ? example : { data: example },
      },
    },
  };
}

const successText = { 200: 'Done.', 201: 'Created.', 202: 'Accepted; it happens soon.' } as const;

function errors({ meta }: Operation, { method }: Route) {
  return Object.fromEntries(
    errorsOf({ meta, readsBody: method !== 'GET' }).map((name) => [
      String(errorResponses[name].status),
      { $ref: `#/components/responses/${name}` },
    ]),
  );
}
