import type { AnyRouter } from '@trpc/server';
import { z } from 'zod';
import { type Family, schemaIn } from '../families.ts';
import type { Definition, NamedOperation } from './definition.ts';
import type { RestRoute } from './meta.ts';

/** An operation as data: what the entrances, the documents and the tests are derived from. */
export type Operation = NamedOperation & {
  routes: readonly Route[];
  /** The output is `{ data, pagination }`, and REST sends it as it is. */
  isList: boolean;
  /** Takes `updated_since` and `cursor`; the answer to these carries a `Link` to the next page. */
  listsChanges: boolean;
};

/** A REST path of an operation, taken apart. */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  version: Family;
  /** `/v2/orders/{id}` */
  path: string;
}

/** Every operation of the router, in the order of its definition, without subscriptions and what needs no key. Throws when one was not made by `operation()`. */
export function operationsOf(router: AnyRouter): Operation[] {
  const procedures = router._def.procedures as Record<string, { _def: ProcedureDefinition }>;
  return Object.entries(procedures).flatMap(([name, { _def }]) => {
    if (_def.type === 'subscription' || _def.meta?.keyless !== undefined) return [];
    if (_def.meta?.definition === undefined) throw new Error(`${name}: not made by operation()`);
    const { definition } = _def.meta;
    return {
      ...definition,
      name,
      kind: _def.type === 'query' ? 'query' : 'mutation',
      routes: (definition.meta.rest ?? []).map(route),
      isList: definition.output instanceof z.ZodObject && 'pagination' in definition.output.shape,
      listsChanges: 'updated_since' in definition.input.shape,
    };
  });
}

/** Whether the operation changes a resource that has a tag: `If-Match` is compared with it. */
export const takesIfMatch = ({
  kind,
  meta,
  input,
}: Pick<NamedOperation, 'kind' | 'meta' | 'input'>): boolean =>
  kind === 'mutation' && meta.tag !== undefined && 'id' in input.shape;

/** An operation as one family has it: input and output without the fields of the other. */
export const inFamily = <Defined extends Definition>(operation: Defined, family: Family): Defined => ({
  ...operation,
  input: schemaIn(operation.input, family),
  output: schemaIn(operation.output, family),
});

interface ProcedureDefinition {
  type: string;
  meta?: { definition?: Definition; keyless?: unknown };
}

function route(text: RestRoute): Route {
  const [method, path] = text.split(' ') as [Route['method'], string];
  return { method, path, version: path.startsWith('/v1/') ? 'v1' : 'v2' };
}
