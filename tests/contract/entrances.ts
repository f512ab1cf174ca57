import type { Operation, Route } from '../../packages/api/src/call/operations.ts';
import { type Answer, callRest } from '../support/api.ts';
import { requireDocumented } from '../support/documented.ts';

/** The answer of either entrance: the value, or the code of the refusal. */
export interface Outcome {
  status: number;
  headers: Headers;
  /** The body as it was sent. */
  text: string;
  /** The envelope of a list, the bare value of anything else; undefined for a refusal. */
  value?: unknown;
  code?: string;
  reason?: string;
  message?: string;
  requestId?: string;
}

/** One way to call an operation. */
export interface Entrance {
  /** `GET /v2/orders/{id}` or `tRPC orders.get`. */
  name: string;
  operation: Operation;
  call(baseUrl: string, key: string | undefined, input: Record<string, unknown>): Promise<Outcome>;
}

/** Every way to call the operation: its REST paths, and tRPC. */
export function entrancesOf(operation: Operation): Entrance[] {
  return [...operation.routes.map((route) => restEntrance(operation, route)), trpcEntrance(operation)];
}

/** The REST path as an entrance: the input goes where the path, the query, the header and the body take it. */
export function restEntrance(operation: Operation, route: Route): Entrance {
  return {
    name: `${route.method} ${route.path}`,
    operation,
    async call(baseUrl, key, { idempotencyKey, ...input }) {
      const rest = { ...input };
      const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
        delete rest[name];
        return encodeURIComponent(String(input[name]));
      });
      const query = new URLSearchParams(
        Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
      );
      const reads = route.method === 'GET';
      const answer = await callRest<RestBody>(
        baseUrl,
        `${route.method} ${path}${reads && query.size > 0 ? `?${query}` : ''}`,
        {
          ...(key !== undefined && { key }),
          ...(!reads && Object.keys(rest).length > 0 && { body: rest }),
          ...(typeof idempotencyKey === 'string' && { headers: { 'idempotency-key': idempotencyKey } }),
        },
      );
      requireDocumented(route.method, path, answer);
      return restOutcome(operation, answer);
    },
  };
}

/** tRPC as an entrance, called as plain HTTP. */
export function trpcEntrance(operation: Operation): Entrance {
  return {
    name: `tRPC ${operation.name}`,
    operation,
    async call(baseUrl, key, input) {
      const text = JSON.stringify(input);
      const path = `/trpc/${operation.name}`;
      const query = operation.kind === 'query';
      const route = query ? `GET ${path}?input=${encodeURIComponent(text)}` : `POST ${path}`;
      const answer = await callRest<TrpcBody>(baseUrl, route, {
        ...(key !== undefined && { key }),
        ...(!query && { body: text }),
      });
      return trpcOutcome(answer);
    },
  };
}

interface RestBody {
  data?: unknown;
  error?: { code: string; message: string; request_id: string };
}

interface TrpcBody {
  result?: { data: unknown };
  error?: { message: string; data: { code: string; httpStatus: number; requestId: string; reason: string } };
}

function restOutcome({ isList }: Operation, { status, headers, text, body }: Answer<RestBody>): Outcome {
  if (body.error === undefined) return { status, headers, text, value: isList ? body : body.data };
  const { code, message, request_id } = body.error;
  const reason = headers.get('x-error-reason') ?? '';
  return { status, headers, text, code, reason, message, requestId: request_id };
}

/** The content of a tRPC answer. Throws when its HTTP status is not that of its error. */
export function trpcOutcome({ status, headers, text, body }: Answer<TrpcBody>): Outcome {
  if (body.error === undefined) return { status, headers, text, value: body.result?.data };
  const { code, httpStatus, requestId, reason } = body.error.data;
  if (httpStatus !== status) throw new Error(`httpStatus ${httpStatus} travelled with the status ${status}`);
  return { status, headers, text, code, reason, message: body.error.message, requestId };
}
