import type { oas31 } from 'zod-openapi';
import { errorResponses, errorsOf, headerReferences, responseName, successHeaders } from './components.ts';
import { exampleAnswer, exampleBody } from './examples.ts';
import { bodyName } from './names.ts';
import type { DocumentedRoute } from './view.ts';

/**
 * An operation as trpc-to-openapi describes it, with what the generator has no place for: permission, idempotency
 * header, the name of the body's schema, status, headers and examples of the success, the error answers. The schema
 * of a named body moves to `schemas`. Throws when another one has that name there.
 */
export function complete(
  generated: oas31.OperationObject,
  documented: DocumentedRoute,
  schemas: Record<string, unknown>,
): oas31.OperationObject {
  const { parameters = [], requestBody, responses: _, ...said } = generated;
  const { kind, meta } = documented.operation;
  const takesKey = kind === 'mutation' && (meta.idempotent ? neededKey : optionalKey);
  return {
    ...said,
    ...(meta.permission !== null && { 'x-permission': meta.permission }),
    parameters: [...parameters, ...(takesKey ? [takesKey] : []), ...(meta.conditional ? [ifNoneMatch] : [])],
    ...(requestBody !== undefined && {
      requestBody: namedBody(requestBody as oas31.RequestBodyObject, documented, schemas),
    }),
    responses: {
      [String(meta.status ?? 200)]: success(generated, documented),
      ...(meta.conditional && { '304': { $ref: '#/components/responses/NotModified' } }),
      ...errors(documented),
    },
  };
}

const neededKey = { $ref: '#/components/parameters/IdempotencyKey' };
const optionalKey = { $ref: '#/components/parameters/OptionalIdempotencyKey' };
const ifNoneMatch = { $ref: '#/components/parameters/IfNoneMatch' };

function namedBody(
  { required = false, content }: oas31.RequestBodyObject,
  { operation }: DocumentedRoute,
  schemas: Record<string, unknown>,
): oas31.RequestBodyObject {
  const name = bodyName(operation);
  const schema = content['application/json']?.schema;
  if (schemas[name] !== undefined && JSON.stringify(schemas[name]) !== JSON.stringify(schema)) {
    throw new Error(`${operation.name}: another schema is already named ${name}`);
  }
  schemas[name] = schema;
  const reference = { $ref: `#/components/schemas/${name}` };
  return {
    required,
    content: { 'application/json': { schema: reference, example: exampleBody(operation) } },
  };
}

// The generator knows one status of success, 200.
function success({ responses }: oas31.OperationObject, { operation }: DocumentedRoute): oas31.ResponseObject {
  const { meta } = operation;
  const generated: oas31.ResponseObject | oas31.ReferenceObject | undefined = responses?.['200'];
  if (generated === undefined || '$ref' in generated) throw new Error('the generator left out the success');
  const { description, content } = generated;
  const example = exampleAnswer(operation);
  return {
    description,
    headers: headerReferences(successHeaders(operation)),
    content: {
      'application/json': {
        ...content?.['application/json'],
        example: meta.list ? example : { data: example },
      },
    },
  };
}

function errors({ operation, route }: DocumentedRoute): Record<string, oas31.ReferenceObject> {
  return Object.fromEntries(
    errorsOf(operation, route.method !== 'GET').map((name) => [
      String(errorResponses[name].status),
      { $ref: `#/components/responses/${responseName(name, operation.meta)}` },
    ]),
  );
}
