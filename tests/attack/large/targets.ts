import type { Operation, Route } from '../../../packages/api/src/call/operations.ts';
import type { WireRequest } from '../../fuzz/send.ts';

/** Bytes of the largest body: of an ordinary operation, of a batch, and where a request of tRPC is not one mutation. */
export const largest = { ordinary: 1024 * 1024, batch: 8 * 1024 * 1024, together: 64 * 1024 } as const;

/** A way to send a body to an operation. */
export interface Target {
  /** `POST /v2/orders`, `tRPC orders.create`, `tRPC orders.create ten times` */
  name: string;
  operation: Operation;
  entrance: 'rest' | 'trpc';
  /** Bytes of the largest body that the contract allows. */
  limit: number;
  /** Members of the input that do not go into the body. */
  outside: ReadonlySet<string>;
  /** The request with that body; in a batch it is the input of one call. */
  request(input: Input, body: Buffer): WireRequest;
  /** Whether `Prefer: handling=strict` is read. */
  takesPreference: boolean;
}

/** A valid input and the key that sends it. */
export interface Input {
  key: string;
  value: Record<string, unknown>;
  idempotencyKey: string;
}

/** Every way: its REST paths, one call of tRPC, and ten in one request. */
export function targetsOf(operation: Operation): Target[] {
  return [
    ...operation.routes.map((route) => restTarget(operation, route)),
    { ...trpcTarget(operation), request: oneCall(operation) },
    {
      ...trpcTarget(operation),
      name: `tRPC ${operation.name} ten times`,
      limit: largest.together,
      request: tenCalls(operation),
    },
  ];
}

function restTarget(operation: Operation, { method, path }: Route): Target {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    name: `${method} ${path}`,
    operation,
    entrance: 'rest',
    limit: limitOf(operation),
    outside: new Set([...parameters, 'idempotencyKey']),
    takesPreference: true,
    request: ({ key, value, idempotencyKey }, body) => ({
      method,
      target: path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(value[name]))),
      headers: [...headersOf(key), ['Idempotency-Key', idempotencyKey]],
      body,
    }),
  };
}

const limitOf = ({ meta, kind }: Operation): number =>
  meta.batch && kind === 'mutation' ? largest.batch : largest.ordinary;

const trpcTarget = (operation: Operation) =>
  ({
    name: `tRPC ${operation.name}`,
    operation,
    entrance: 'trpc',
    limit: operation.kind === 'query' ? largest.together : limitOf(operation),
    outside: new Set(['idempotencyKey']),
    takesPreference: false,
  }) as const;

function oneCall({ name }: Operation): Target['request'] {
  return ({ key }, body) => ({
    method: 'POST',
    target: `/trpc/${name}`,
    headers: headersOf(key),
    body,
  });
}

// The filled input is one of ten, and not the first.
function tenCalls({ name }: Operation): Target['request'] {
  return ({ key, value }, body) => {
    const others = Array.from({ length: 10 }, (_, at) => `"${at}":${at === 4 ? '@' : JSON.stringify(value)}`);
    const [before = '', after = ''] = `{${others.join(',')}}`.split('@');
    return {
      method: 'POST',
      target: `/trpc/${Array.from({ length: 10 }, () => name).join(',')}?batch=1`,
      headers: headersOf(key),
      body: Buffer.concat([Buffer.from(before), body, Buffer.from(after)]),
    };
  };
}

const headersOf = (key: string): [string, string][] => [
  ['Authorization', `Bearer ${key}`],
  ['Content-Type', 'application/json'],
];
