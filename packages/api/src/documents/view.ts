import type { OpenApiMeta, OpenApiRouter } from 'trpc-to-openapi';
import { z } from 'zod';
import type { DeprecatedRoute } from '../request/deprecation.ts';
import type { Operation, Route } from '../request/operations.ts';
import { operationId } from './names.ts';
import { tagOf } from './tags.ts';

/** One REST path of an operation: what a document describes. */
export interface DocumentedRoute {
  operation: Operation;
  route: Route;
  /** Set when it is deprecated. */
  ending: DeprecatedRoute | undefined;
}

/**
 * The router as trpc-to-openapi must see it: one procedure for each REST path, with path, query and body as its
 * input and the whole answer as its output. The generator reads nothing else of a router.
 */
export function routerView(routes: readonly DocumentedRoute[]): OpenApiRouter {
  const procedures = routes.map((each) => [
    `${each.route.method} ${each.route.path}`,
    { _def: procedureView(each) },
  ]);
  return { _def: { procedures: Object.fromEntries(procedures) } } as unknown as OpenApiRouter;
}

function procedureView({ operation, route, ending }: DocumentedRoute) {
  const { kind, meta, output, isList } = operation;
  const openapi: NonNullable<OpenApiMeta['openapi']> = {
    method: route.method,
    path: route.path as `/${string}`,
    operationId: operationId(operation),
    tags: [tagOf(operation).name],
    summary: meta.summary,
    description: [...deprecationTextOf(ending), descriptionOf(operation)].join('\n\n'),
    ...(ending !== undefined && { deprecated: true }),
    successDescription: successText[meta.status ?? 200],
    // The document as a whole asks for the key and has the error answers; complete.ts refers to them.
    protect: false,
    errorResponses: [],
  };
  return {
    type: kind,
    inputs: inputsOf(operation, route),
    output: isList ? output : z.object({ data: output }),
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

// The generator removes `.optional()` from a parameter, and its description with it.
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

function deprecationTextOf(ending: DeprecatedRoute | undefined): string[] {
  if (ending === undefined) return [];
  const { announced, sunset, guide } = ending;
  const until = sunset === undefined ? '' : ` It is served until ${sunset} for certain.`;
  return [`**Deprecated** since ${announced}.${until} How to move: \`${guide}\`.`];
}

const successText = { 200: 'Done.', 201: 'Created.', 202: 'Accepted; it happens soon.' } as const;
