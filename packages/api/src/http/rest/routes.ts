import { inFamily, type Operation, type Route } from '../../call/operations.ts';
import { ApiError, methodNotAllowed } from '../../errors.ts';
import { decode } from './decode.ts';
import { type Coercion, coercions } from './query.ts';

/** A served path: the operation as its family has it, and what the adapter needs to know of it, worked out once. */
export interface ServedRoute extends Route {
  /** `GET /v2/orders/{id}` */
  name: string;
  operation: Operation;
  coercions: ReadonlyMap<string, Coercion>;
}

/** The target of a path. */
export interface Match {
  route: ServedRoute;
  /** Path parameters, percent-decoded. */
  parameters: Record<string, string>;
}

/** Finds the operation behind a method and a path; literal segments win over parameters. */
export interface RouteTable {
  /** Throws 404 for an unknown path, 405 with `Allow` for a wrong method, 400 for broken percent-encoding. */
  find(method: string, path: string): Match;
}

/** Builds the table from every route of every operation. Throws when two share a method and a path. */
export function routeTable(operations: readonly Operation[]): RouteTable {
  const root = newNode();
  for (const each of operations) {
    for (const route of each.routes) {
      const operation = inFamily(each, route.version);
      const name = `${route.method} ${route.path}`;
      add(root, { ...route, name, operation, coercions: coercions(operation.input) });
    }
  }
  return {
    find(method, path) {
      const values: string[] = [];
      const node = walk(root, path.slice(1).split('/'), 0, values);
      if (node === undefined) throw new ApiError('unknown_path', `There is no ${path.slice(0, 200)}.`);
      const found = node.methods.get(method === 'HEAD' ? 'GET' : method);
      if (found === undefined) {
        const allowed = [...node.methods.keys()].flatMap((known) =>
          known === 'GET' ? ['GET', 'HEAD'] : [known],
        );
        throw methodNotAllowed(method, allowed.join(', '));
      }
      const parameters: Record<string, string> = {};
      for (const [index, name] of found.names.entries()) parameters[name] = decode(values[index] ?? '');
      return { route: found.route, parameters };
    },
  };
}

interface Node {
  literals: Map<string, Node>;
  parameter: Node | undefined;
  methods: Map<string, { route: ServedRoute; names: string[] }>;
}

const newNode = (): Node => ({ literals: new Map(), parameter: undefined, methods: new Map() });

function add(root: Node, route: ServedRoute): void {
  let node = root;
  const names: string[] = [];
  for (const segment of route.path.slice(1).split('/')) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) {
      const next = node.literals.get(segment) ?? newNode();
      node.literals.set(segment, next);
      node = next;
    } else {
      names.push(name);
      node.parameter ??= newNode();
      node = node.parameter;
    }
  }
  if (node.methods.has(route.method)) throw new Error(`${route.name} is defined twice`);
  node.methods.set(route.method, { route, names });
}

function walk(node: Node, segments: string[], index: number, values: string[]): Node | undefined {
  const segment = segments[index];
  if (segment === undefined) return node.methods.size > 0 ? node : undefined;
  const literal = node.literals.get(segment);
  const found = literal && walk(literal, segments, index + 1, values);
  if (found !== undefined) return found;
  if (node.parameter === undefined || segment === '') return undefined;
  values.push(segment);
  const deeper = walk(node.parameter, segments, index + 1, values);
  if (deeper === undefined) values.pop();
  return deeper;
}
