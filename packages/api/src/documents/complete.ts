import type { oas31 } from 'zod-openapi';
import { takesIfMatch } from '../request/operations.ts';
import { errorResponses, errorsOf, responseName } from './components.ts';
import { exampleAnswer, exampleBody, exampleOf } from './examples.ts';
import { type HeaderName, headerReferences, successHeaders } from './headers.ts';
import { answerName, bodyName } from './names.ts';
import { simulateOf } from './simulate.ts';
import type { DocumentedRoute } from './view.ts';

/**
 * An operation as trpc-to-openapi describes it, with what the generator has no place for: permission, request
 * headers, the examples of parameters, the names of the schemas of body and answer, status, headers and examples of the
 * success, the error answers. The named schemas move to `schemas`. Throws when another one has that name there.
 */
export function complete(
  generated: oas31.OperationObject,
  documented: DocumentedRoute,
  schemas: Schemas,
): oas31.OperationObject {
  const { parameters = [], requestBody, responses: _, ...said } = generated;
  const { kind, meta } = documented.operation;
  const takesKey = kind === 'mutation' && (meta.idempotent ? neededKey : optionalKey);
  return {
    ...said,
    ...(meta.permission !== null && { 'x-permission': meta.permission }),
    parameters: [
      ...parameters.map((each) => withExample(each, documented)),
      ...(takesKey ? [takesKey] : []),
      ...(takesIfMatch(documented.operation) ? [ifMatch] : []),
      ...(meta.conditional ? [ifNoneMatch] : []),
      prefer,
      simulateOf(documented.operation),
    ],
    ...(requestBody !== undefined && {
      requestBody: namedBody(requestBody as oas31.RequestBodyObject, documented, schemas),
    }),
    responses: {
      [String(meta.status ?? 200)]: success(generated, documented, schemas),
      ...(meta.conditional && { '304': { $ref: '#/components/responses/NotModified' } }),
      ...errors(documented),
    },
  };
}

type Schemas = Record<string, unknown>;

const neededKey = { $ref: '#/components/parameters/IdempotencyKey' };
const optionalKey = { $ref: '#/components/parameters/OptionalIdempotencyKey' };
const prefer = { $ref: '#/components/parameters/Prefer' };
const ifMatch = { $ref: '#/components/parameters/IfMatch' };
const ifNoneMatch = { $ref: '#/components/parameters/IfNoneMatch' };

function namedBody(
  { required = false, content }: oas31.RequestBodyObject,
  { operation }: DocumentedRoute,
  schemas: Schemas,
): oas31.RequestBodyObject {
  const schema = named(bodyName(operation), content['application/json']?.schema, schemas);
  return { required, content: { 'application/json': { schema, example: exampleBody(operation) } } };
}

function named(name: string, schema: unknown, schemas: Schemas): oas31.ReferenceObject {
  if (schemas[name] !== undefined && JSON.stringify(schemas[name]) !== JSON.stringify(schema)) {
    throw new Error(`another schema is already named ${name}`);
  }
  schemas[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

function withExample(
  parameter: oas31.ParameterObject | oas31.ReferenceObject,
  { operation }: DocumentedRoute,
): oas31.ParameterObject | oas31.ReferenceObject {
  if ('$ref' in parameter) return parameter;
  if (positions.has(parameter.name)) return withoutExample(parameter);
  const field = operation.input.shape[parameter.name];
  if (field === undefined) throw new Error(`${operation.name} has no parameter ${parameter.name}`);
  return { ...parameter, example: exampleOf(field, true) };
}

/**
 * Positions in a list or in the feed. They are of one location and temporary, so no example of them is right; tools
 * that fill in every example would also give them next to parameters that exclude them.
 */
const positions: ReadonlySet<string> = new Set(['cursor', 'after']);

function withoutExample({ example: _, schema, ...parameter }: oas31.ParameterObject): oas31.ParameterObject {
  if (schema === undefined || '$ref' in schema) return { ...parameter, ...(schema && { schema }) };
  const { example: __, examples: ___, ...rest } = schema;
  return { ...parameter, schema: rest };
}

// The generator knows one status of success, 200.
function success(
  { responses }: oas31.OperationObject,
  { operation, ending }: DocumentedRoute,
  schemas: Schemas,
): oas31.ResponseObject {
  const generated: oas31.ResponseObject | oas31.ReferenceObject | undefined = responses?.['200'];
  if (generated === undefined || '$ref' in generated) throw new Error('the generator left out the success');
  const { description, content } = generated;
  const example = exampleAnswer(operation);
  const { schema } = content?.['application/json'] ?? {};
  return {
    description,
    headers: headerReferences([...successHeaders(operation), ...endingHeaders(ending)]),
    content: {
      'application/json': {
        schema: named(
          answerName(operation, schema),
          {
            ...schema,
            description: operation.isList ? 'A page of the list.' : 'The response of the operation.',
          },
          schemas,
        ),
        example: operation.isList ? example : { data: example },
      },
    },
  };
}

function endingHeaders(ending: DocumentedRoute['ending']): HeaderName[] {
  if (ending === undefined) return [];
  return ending.sunset === undefined ? ['Deprecation', 'Link'] : ['Deprecation', 'Sunset', 'Link'];
}

function errors({ operation, route }: DocumentedRoute): Record<string, oas31.ReferenceObject> {
  return Object.fromEntries(
    errorsOf(operation, route).map((name) => [
      String(errorResponses[name].status),
      { $ref: `#/components/responses/${responseName(name, operation.meta)}` },
    ]),
  );
}
