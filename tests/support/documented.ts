import { operationsOf } from '@comanda/api';
import { appRouter } from '@comanda/api/router';
import { z } from 'zod';
import { inFamily, type Operation } from '../../packages/api/src/call/operations.ts';
import { errorsOf } from '../../packages/api/src/documents/errors.ts';
import { ErrorBody } from '../../packages/api/src/errors.ts';
import { routeTable } from '../../packages/api/src/http/rest/routes.ts';
import { type Reason, type ReasonRow, reasons, reasonsOf } from '../../packages/api/src/reasons.ts';

/** An answer of the REST entrance, as far as the documents speak of it. */
export interface DocumentedAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Every operation of the router, in the shape of the typed client. A REST path has that of its family: `inFamily`. */
export const operations = operationsOf(appRouter).map((operation) => inFamily(operation, 'v2'));

/**
 * Holds an answer of a REST path against its documentation: status, code, headers, and the body by its strict
 * schema, in which an unknown field is a fault.
 *
 * @throws {Error} saying what differs.
 */
export function requireDocumented(method: string, path: string, answer: DocumentedAnswer): void {
  if (!/^\/v[12]\//.test(path)) return;
  const where = `${method} ${path} → ${answer.status}`;
  if (answer.headers.get('x-request-id') === null) throw new Error(`${where} lacks X-Request-Id`);
  const operation = find(method, path);
  if (answer.status >= 400) requireError(where, operation, answer);
  else if (operation === undefined) throw new Error(`${where}: no operation is documented here`);
  else requireSuccess(where, operation, method, answer);
}

/** The same schema, refusing every field that it does not name, at any depth. */
export function strictly(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape) as [string, z.ZodType][];
    return z.strictObject(Object.fromEntries(fields.map(([name, field]) => [name, strictly(field)])));
  }
  if (schema instanceof z.ZodArray) return z.array(strictly(schema.element as z.ZodType));
  if (schema instanceof z.ZodOptional) return strictly(schema.unwrap() as z.ZodType).optional();
  if (schema instanceof z.ZodNullable) return strictly(schema.unwrap() as z.ZodType).nullable();
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map((option) => strictly(option as z.ZodType));
    return z.union(options as [z.ZodType, ...z.ZodType[]]);
  }
  return schema;
}

const routes = routeTable(operationsOf(appRouter));
const strictOutputs = new Map<z.ZodType, z.ZodType>();

function find(method: string, path: string): Operation | undefined {
  try {
    return routes.find(method, path.split('?')[0] ?? '').route.operation;
  } catch {
    return undefined;
  }
}

function requireSuccess(
  where: string,
  { meta, output, isList }: Operation,
  method: string,
  answer: DocumentedAnswer,
): void {
  const unchanged = answer.status === 304 && meta.conditional;
  if (answer.status !== (meta.status ?? 200) && !unchanged)
    throw new Error(`${where}, documented is ${meta.status ?? 200}`);
  const needed = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
  if (meta.status === 201) needed.push('location');
  // What changes with the time has no tag.
  if (meta.conditional && !where.includes('include=hours')) needed.push('etag');
  if (meta.batch) needed.push(...batchLimits);
  requireHeaders(where, answer, needed);
  if (method === 'HEAD' || unchanged) return;
  const schema = strictOutputs.get(output) ?? strictly(isList ? output : z.object({ data: output }));
  strictOutputs.set(output, schema);
  const { error } = schema.safeParse(answer.body);
  if (error !== undefined) throw new Error(`${where} is not as documented: ${z.prettifyError(error)}`);
}

const batchLimits = ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-batch-${name}`);

const meetsRequestLimit = ({ status, headers }: DocumentedAnswer) =>
  status === 429 && headers.get('x-ratelimit-remaining') === '0';

function requireHeaders(where: string, { headers }: DocumentedAnswer, needed: readonly string[]): void {
  const missing = needed.filter((header) => headers.get(header) === null);
  if (missing.length > 0) throw new Error(`${where} lacks ${missing.join(', ')}`);
}

function requireError(where: string, operation: Operation | undefined, answer: DocumentedAnswer): void {
  if (answer.body === undefined) return;
  const { error, data } = ErrorBody.safeParse(answer.body);
  if (error !== undefined) throw new Error(`${where} is not the error envelope: ${z.prettifyError(error)}`);
  if (data.error.request_id !== answer.headers.get('x-request-id'))
    throw new Error(`${where}: request_id and X-Request-Id differ`);
  const reason = answer.headers.get('x-error-reason') ?? '';
  const { code } = (reasons as Readonly<Record<string, ReasonRow>>)[reason] ?? {};
  if (code !== data.error.code || !reasonsOf(answer.status).includes(reason as Reason))
    throw new Error(`${where} ${data.error.code}: X-Error-Reason is ${reason}`);
  if (!answer.headers.get('link')?.includes(`</docs/errors#${reason}>; rel="help"`))
    throw new Error(`${where} lacks the Link to ${reason}`);
  if (operation === undefined) return;
  const readsBody =
    (operation.meta.rest ?? []).some((route) => /^(POST|PATCH)/.test(route)) || operation.kind === 'mutation';
  const version = where.includes(' /v1/') ? 'v1' : 'v2';
  const documented = errorsOf(operation, { method: readsBody ? 'POST' : 'GET', version });
  // Bytes that cannot be read as a request are refused before its key.
  const isAdmitted = answer.headers.get('x-ratelimit-limit') !== null && !meetsRequestLimit(answer);
  if (operation.meta.batch && isAdmitted && answer.status < 500) requireHeaders(where, answer, batchLimits);
  if (documented.includes(answer.status)) return;
  throw new Error(
    `${where} ${data.error.code} is not documented for ${operation.name}: ${data.error.message}`,
  );
}
