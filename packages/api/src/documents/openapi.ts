import type { AnyRouter } from '@trpc/server';
import type { OpenApiMeta, OpenApiRouter } from 'trpc-to-openapi';
import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { type DeprecatedRoute, deprecatedRoutes } from '../call/deprecation.ts';
import { inFamily, type Operation, operationsOf, type Route } from '../call/operations.ts';
import { faults } from '../call/simulation.ts';
import { deprecations } from '../deprecations.ts';
import { ErrorBody } from '../errors.ts';
import type { SchemaPart } from '../schema-words.ts';
import { errorReferences, errorResponses } from './errors.ts';
import { exampleAnswer, exampleBody, exampleOf } from './examples.ts';
import { answerHeaders, deliveryHeaders, headers, requestHeaders, takenHeaders } from './headers.ts';
import { answerName, bodyName, operationId, tagOf, tagsOf } from './names.ts';
import { plainParameter, plainSchema, type Schemas } from './schemas.ts';
import { documentedStreams, eventTag, streamContent, webhooks } from './webhooks.ts';

/** One REST path of an operation: what a document describes. */
interface Described {
  operation: Operation;
  route: Route;
  /** Set when it is deprecated. */
  ending?: DeprecatedRoute | undefined;
  /** It is a stream of events, which is described to the generator as a query. */
  streams?: true;
}

/**
 * The OpenAPI 3.1 document of one path family: trpc-to-openapi describes the operations that serve it, and one pass over them adds what
 * the generator has no place for. Contract: documents.
 */
export async function openApiDocument(
  router: AnyRouter,
  version: Route['version'],
  announced = deprecations,
): Promise<oas31.OpenAPIObject> {
  // Loaded with the first document: it brings adapters for every server, which cost a third of a second.
  const { generateOpenApiDocument } = await import('trpc-to-openapi');
  const described = describedIn(router, version, announced);
  const events = version === 'v2' ? webhooks() : {};
  const generated = withOneName(
    generateOpenApiDocument(viewOf(described), {
      ...about(version),
      openApiVersion: '3.1.0',
      baseUrl: server.url,
      securitySchemes,
      // The generator has no option for webhooks: they pass as paths, so that they share its components.
      paths: events,
      defs: { Error: ErrorBody },
    }) as oas31.OpenAPIObject,
  );
  const schemas = generated.components?.schemas as Schemas;
  for (const schema of Object.values(schemas)) {
    // The example of a component is shown where it is sent or answered.
    delete schema.example;
    plainSchema(schema, schemas);
  }
  const paths: Record<string, Record<string, oas31.OperationObject>> = {};
  for (const each of described) {
    const { path, method } = each.route;
    const verb = method.toLowerCase() as Lowercase<Route['method']>;
    const found = generated.paths?.[path]?.[verb];
    if (found === undefined) throw new Error(`the generator left out ${method} ${path}`);
    paths[path] = { ...paths[path], [verb]: completed(found, each, schemas) };
  }
  const hooks = Object.fromEntries(Object.keys(events).map((type) => [type, generated.paths?.[type] ?? {}]));
  const parameters = { ...requestHeaders, ...deliveryHeaders };
  const responses = used('responses', errorResponses, paths);
  return {
    openapi: generated.openapi,
    info: generated.info,
    servers: [server],
    security: [{ apiKey: [] }],
    tags: [...tagsOf(described.map(({ operation }) => operation)), ...(version === 'v2' ? [eventTag] : [])],
    paths,
    ...(version === 'v2' && { webhooks: hooks }),
    components: {
      schemas,
      securitySchemes,
      headers: used('headers', headers, { paths, responses }),
      parameters: used('parameters', parameters, { paths, hooks }),
      responses,
    },
  };
}

const server: oas31.ServerObject = {
  url: '{base_url}',
  description: 'Where your Comanda runs.',
  // No description: the official schema of 3.1 refuses one here by mistake, and validators hold to it.
  variables: { base_url: { default: 'http://127.0.0.1:3000' } },
};

const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key of the form `cmd_live_<code>_…`, or `cmd_test_<code>_…` of a sandbox; take it whole, as it is. It belongs to one location and sees no other.',
  },
} as const;

function about(version: Route['version']) {
  const simulated = Object.entries(faults).map(([name, { does }]) => `\`${name}\` (${does})`);
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
      `names in \`X-Comanda-Simulated\`: ${simulated.join('; ')}.`,
    ].join(' '),
    contact: { name: 'Comanda' },
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  };
}

/** The operations of a family by their paths there, and behind them its streams. */
function describedIn(
  router: AnyRouter,
  version: Route['version'],
  announced: typeof deprecations,
): Described[] {
  const operations = operationsOf(router);
  const deprecated = deprecatedRoutes(operations, announced);
  const described: Described[] = operations.flatMap((operation) =>
    operation.routes
      .filter((route) => route.version === version)
      .map((route) => ({
        operation: inFamily(operation, version),
        route,
        ending: deprecated.get(`${route.method} ${route.path}`),
      })),
  );
  const streams = version === 'v2' ? documentedStreams(router) : [];
  return [...described, ...streams.map((stream) => ({ ...stream, streams: true as const }))];
}

/**
 * The router as trpc-to-openapi must see it: one procedure for each REST path, with path, query and body as its input
 * and the whole answer as its output. The generator reads nothing else of a router.
 */
function viewOf(described: readonly Described[]): OpenApiRouter {
  const procedures = described.map(({ operation, route, ending }) => {
    const { kind, meta, output, isList } = operation;
    const openapi: NonNullable<OpenApiMeta['openapi']> = {
      method: route.method,
      path: route.path as `/${string}`,
      operationId: operationId(operation),
      tags: [tagOf(operation).name],
      summary: meta.summary,
      description: descriptionOf(operation, ending),
      ...(ending !== undefined && { deprecated: true }),
      successDescription: { 200: 'Done.', 201: 'Created.', 202: 'Accepted; it happens soon.' }[
        meta.status ?? 200
      ],
      // The document as a whole asks for the key, and completed() adds the errors.
      protect: false,
      errorResponses: [],
    };
    const _def = {
      type: kind,
      inputs: inputsOf(operation, route),
      output: isList ? output : z.object({ data: output }),
      meta: { openapi },
    };
    return [`${route.method} ${route.path}`, { _def }];
  });
  return { _def: { procedures: Object.fromEntries(procedures) } } as unknown as OpenApiRouter;
}

// An input that may be left out makes its body optional.
function inputsOf({ input }: Operation, { path }: Route): z.ZodType[] {
  const shape = input.shape as Record<string, z.ZodType>;
  if (Object.keys(shape).length === 0) return [];
  const { id: _id, ...meta } = input.meta() ?? {};
  const fields = Object.entries(shape).map(([name, field]) => {
    // The generator removes `.optional()` from a parameter, and its description with it.
    const said = field instanceof z.ZodOptional ? field.meta() : undefined;
    return [
      name,
      said === undefined ? field : ((field as z.ZodOptional).unwrap() as z.ZodType).meta(said).optional(),
    ];
  });
  const carried = z.object(Object.fromEntries(fields)).meta(meta);
  const isNeeded = Object.entries(shape).some(
    ([name, field]) => !path.includes(`{${name}}`) && !field.safeParse(undefined).success,
  );
  return [isNeeded ? carried : carried.optional()];
}

/** The part of a schema that {@link onlyIf} made. */
function rulesBetweenFields(input: z.ZodType): SchemaPart {
  const { if: condition, else: otherwise } = input.meta() ?? {};
  return condition === undefined ? {} : { if: condition, else: otherwise };
}

function descriptionOf({ meta }: Operation, ending: DeprecatedRoute | undefined): string {
  const until = ending?.sunset === undefined ? '' : ` It is served until ${ending.sunset} for certain.`;
  return [
    ending && `**Deprecated** since ${ending.announced}.${until} How to move: \`${ending.guide}\`.`,
    meta.description,
    meta.permission === null ? 'Any valid key will do.' : `Needs the permission \`${meta.permission}\`.`,
    meta.batch && 'Counts against the batch limits of the key.',
  ]
    .filter((part) => typeof part === 'string')
    .join('\n\n');
}

/**
 * An operation as the generator describes it, with its permission, request headers, names of body and answer, examples, status, answer
 * headers and errors. Its body and answer move to `schemas`. Throws when another schema has such a name there.
 */
function completed(
  generated: oas31.OperationObject,
  described: Described,
  schemas: Schemas,
): oas31.OperationObject {
  const { parameters = [], requestBody, responses, ...said } = generated;
  const { operation, route, ending, streams } = described;
  const { meta, isList } = operation;
  const { required = false, content } = (requestBody ?? {}) as oas31.RequestBodyObject;
  const sent = content?.['application/json']?.schema;
  // The generator keeps the fields of a body, not the rules between them.
  const body = sent && { ...sent, ...rulesBetweenFields(operation.input) };
  const success: oas31.ResponseObject | oas31.ReferenceObject | undefined = responses?.['200'];
  if (success === undefined || '$ref' in success) throw new Error(`${operation.name} has no success`);
  const { description, content: answered } = success;
  const answer = answered?.['application/json']?.schema;
  const example = exampleAnswer(operation);
  return {
    ...said,
    ...(meta.permission !== null && { 'x-permission': meta.permission }),
    parameters: [
      ...(parameters as oas31.ParameterObject[]).map((each) => {
        const field = operation.input.shape[each.name];
        if (field === undefined) throw new Error(`${operation.name} has no parameter ${each.name}`);
        return plainParameter(each, exampleOf(field, true), schemas);
      }),
      ...takenHeaders(operation, streams),
    ],
    ...(body !== undefined && {
      requestBody: {
        required,
        content: {
          'application/json': {
            schema: named(bodyName(operation), body, schemas),
            example: exampleBody(operation),
          },
        },
      },
    }),
    responses: {
      // The generator knows one status of success, 200.
      [String(meta.status ?? 200)]: {
        description,
        headers: answerHeaders(operation, ending),
        content: streams
          ? streamContent()
          : {
              'application/json': {
                schema: named(
                  answerName(operation, answer),
                  {
                    ...answer,
                    description: isList ? 'A page of the list.' : 'The response of the operation.',
                  },
                  schemas,
                ),
                example: isList ? example : { data: example },
              },
            },
      },
      ...errorReferences(operation, route),
    },
  };
}

function named(name: string, schema: object, schemas: Schemas): oas31.ReferenceObject {
  const own = { ...schema };
  plainSchema(own, schemas);
  const known = schemas[name];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(own))
    throw new Error(`another schema is already named ${name}`);
  schemas[name] = own;
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * A copy in which a component that is sent and answered has one name: the generator makes `XOutput` beside `X`, which differs by closed
 * objects alone. Throws where it differs by more: one of the two needs an `id` of its own.
 */
function withOneName(document: oas31.OpenAPIObject): oas31.OpenAPIObject {
  const text = JSON.stringify(document)
    .replaceAll(/(#\/components\/schemas\/\w+?)Output"/g, '$1"')
    .replaceAll(/,"additionalProperties":false/g, '');
  const copy = JSON.parse(text) as oas31.OpenAPIObject;
  const schemas = copy.components?.schemas ?? {};
  for (const [name, schema] of Object.entries(schemas)) {
    if (!name.endsWith('Output')) continue;
    const sent = schemas[name.slice(0, -'Output'.length)];
    if (JSON.stringify(sent) !== JSON.stringify(schema))
      throw new Error(`${name} is another one as it is sent`);
    delete schemas[name];
  }
  return copy;
}

/** The components that a part of the document refers to. */
const used = <Component>(
  kind: string,
  all: Readonly<Record<string, Component>>,
  part: object,
): Record<string, Component> => {
  const text = JSON.stringify(part);
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  );
};
