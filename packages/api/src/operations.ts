import type { AnyRouter } from '@trpc/server';
import { z } from 'zod';
import type { CallContext } from './request/context.ts';
import type { OperationMeta, RestRoute } from './request/meta.ts';

/** An operation as data: what the entrances, the documents and the tests are derived from. */
export interface Operation {
  /** `orders.create`; `v1.orders.create` where the first family differs. */
  name: string;
  kind: 'query' | 'mutation';
  meta: OperationMeta;
  input: z.ZodObject;
  output: z.ZodType;
  routes: readonly Route[];
  /** The procedure's own work, for a call that was admitted and an input that was validated. */
  resolve(call: { ctx: CallContext; input: unknown }): unknown;
}

/** A REST path of an operation, taken apart. */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  version: 'v1' | 'v2';
  /** `/v2/orders/{id}` */
  path: string;
}

/** Every operation of the router, in the order of its definition. Throws when one lacks its meta, input or output. */
export function operationsOf(router: AnyRouter): Operation[] {
  const procedures = router._def.procedures as Record<string, { _def: ProcedureDefinition }>;
  return Object.entries(procedures).map(([name, { _def }]) => {
    const input = _def.inputs.length === 0 ? z.object({}) : _def.inputs.at(-1);
    const { meta, output, resolver } = _def;
    if (meta === undefined || !(input instanceof z.ZodObject) || !(output instanceof z.ZodType)) {
      throw new Error(`${name}: an operation needs meta, an object as input, and an output`);
    }
    return {
      name,
      kind: _def.type === 'query' ? 'query' : 'mutation',
      meta,
      input,
      output,
      routes: (meta.rest ?? []).map(route),
      resolve: resolver,
    };
  });
}

interface ProcedureDefinition {
  type: string;
  meta?: OperationMeta;
  inputs: unknown[];
  output?: unknown;
  resolver: Operation['resolve'];
}

function route(text: RestRoute): Route {
  const [method, path] = text.split(' ') as [Route['method'], string];
  return { method, path, version: path.startsWith('/v1/') ? 'v1' : 'v2' };
}
