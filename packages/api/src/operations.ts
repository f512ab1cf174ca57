import type { AnyRouter } from '@trpc/server';
import type { Definition, NamedOperation } from './request/definition.ts';
import type { RestRoute } from './request/meta.ts';

/** An operation as data: what the entrances, the documents and the tests are derived from. */
export interface Operation extends NamedOperation {
  routes: readonly Route[];
}

/** A REST path of an operation, taken apart. */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  version: 'v1' | 'v2';
  /** `/v2/orders/{id}` */
  path: string;
}

/** Every operation of the router, in the order of its definition. Throws when one was not made by `operation()`. */
export function operationsOf(router: AnyRouter): Operation[] {
  const procedures = router._def.procedures as Record<string, { _def: ProcedureDefinition }>;
  return Object.entries(procedures).map(([name, { _def }]) => {
    if (_def.meta === undefined) throw new Error(`${name}: not made by operation()`);
    const { definition } = _def.meta;
    return {
      ...definition,
      name,
      kind: _def.type === 'query' ? 'query' : 'mutation',
      routes: (definition.meta.rest ?? []).map(route),
    };
  });
}

interface ProcedureDefinition {
  type: string;
  meta?: { definition: Definition };
}

function route(text: RestRoute): Route {
  const [method, path] = text.split(' ') as [Route['method'], string];
  return { method, path, version: path.startsWith('/v1/') ? 'v1' : 'v2' };
}
