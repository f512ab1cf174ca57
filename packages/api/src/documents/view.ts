import type { OpenApiMeta, OpenApiRouter } from 'trpc-to-openapi';
import { z } from 'zod';
import type { Operation, Route } from '../operations.ts';
import { operationId } from './names.ts';
import { tagOf } from './tags.ts';

/** One REST path of an operation: what a document describes. */
export interface DocumentedRoute {
  operation: Operation;
  route: Route;
}

/**
 * The router as trpc-to-openapi shall see it: one procedure for each REST path, with what path, query and body carry
 * as its input and the whole answer as its output. The generator reads nothing else of a router.
 */
export function routerView(routes: readonly DocumentedRoute[]): OpenApiRouter {
  const procedures = routes.map(({ operation, route }) => [
    `${route.method} ${route.path}`,
    { _def: procedureView(operation, route) },
  ]);
  return { _def: { procedures: Object.fromEntries(procedures) } } as unknown as OpenApiRouter;
}

function procedureView(operation: Operation, route: Route) {
  const { kind, meta, output } = operation;
  const openapi: NonNullable<OpenApiMeta['openapi']> = {
    method: route.method,
    path: route.path as `/${string}`,
    operationId: operationId(operation),
    tags: [tagOf(operation)],
    summary: meta.summary,
    description: descriptionOf(operation),
    successDescription: successText[meta.status ?? 200],
    // The document as a whole asks for the key and has the error answers; complete.ts refers to them.
    protect: false,
    errorResponses: [],
  };
  return {
    type: kind,
    inputs: inputsOf(operation, route),
    output: meta.list ? output : z.object({ data: output }),
    meta: { openapi },
  };
}

// An input that may be left out makes its body optional.
function inputsOf({ input }: Operation, { path }: Route): z.ZodType[] {
  const shape = input.shape as Record<string, z.ZodType>;
  if (Object.keys(shape).length === 0) return [];
  const { id: _id, ...meta } = input.meta() ?? {};
  const fields = Object.entries(shape).map(([name, field]) => [name, saidInside(field)]);
  const carried = z.object(Object.fromEntries(fields)).meta(meta);
  const beside = Object.entries(shape).filter(([name]) => !path.includes(`{${name}}`));
  const required = beside.some(([, field]) => !field.safeParse(undefined).success);
  return [required ? carried : carried.optional()];
}

// The generator takes `.optional()` off a parameter, and what is said about it with it.
function saidInside(field: z.ZodType): z.ZodType {
  const said = field instanceof z.ZodOptional ? field.meta() : undefined;
  return said === undefined ? field : ((field as z.ZodOptional).unwrap() as z.ZodType).meta(said).optional();
}

function descriptionOf({ meta }: Operation): string {
  const needs =
    meta.permission === null ? 'Any valid key will do.' : `Needs the permission \`${meta.permission}\`.`;
  const limits = meta.batch ? 'Counts against the batch limits of the key.' : undefined;
  return [meta.description, needs, limits].filter((part) => part !== undefined).join('\n\n');
}

const successText = { 200: 'Done.', 201: 'Created.', 202: 'Accepted; it happens soon.' } as const;
