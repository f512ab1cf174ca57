import { requireDocumented } from '../support/documented.ts';
import type { Documented } from './documents.ts';
import type { WireAnswer, WireRequest } from './send.ts';

/** The longest that an answer may take here, on a loaded machine; the promise is a second. */
export const longestMs = 10_000;

/**
 * Holds an answer of the REST entrance against both OpenAPI documents and the contract.
 * @throws {Error} saying what is wrong with it.
 */
export function judge(
  documented: Documented,
  request: WireRequest,
  answer: WireAnswer,
  asDocumented: boolean,
): void {
  // A request by another method is answered by another operation, and HEAD by that of GET.
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const isOwn = method === documented.route.method;
  const mayBeKept = isOwn ? documented.operation.meta.conditional : method === 'GET';
  judgeAny(answer, mayBeKept && answer.status < 400);
  const [path = ''] = request.target.split('#');
  const bare = request.method === 'HEAD' || answer.status === 304;
  requireDocumented(request.method, path, answer);
  if (!bare && answer.body === undefined) throw new Error('the body is not JSON');
  if (!asDocumented || bare) return;
  const fault = documented.fault(answer.status, answer.body);
  if (fault !== undefined) throw new Error(`not as the document says: ${fault}`);
}

/** The rules for every answer. */
export function judgeAny({ status, headers, text, tookMs }: WireAnswer, mayBeKept = false): void {
  if (status >= 500 || status < 200) throw new Error(`answered ${status}`);
  if (tookMs > longestMs) throw new Error(`took ${Math.round(tookMs)} ms`);
  if (/node_modules|\bat \S+ \(|\.ts:\d|prisma|SQLSTATE|22P02/i.test(text))
    throw new Error('shows internals');
  for (const [name, value] of safe) {
    if (mayBeKept && name === 'cache-control') continue;
    if (headers.get(name) !== value) throw new Error(`${name} is ${headers.get(name)}, not ${value}`);
  }
  for (const name of ['x-powered-by', 'server', 'access-control-allow-origin', 'set-cookie'])
    if (headers.has(name)) throw new Error(`has the header ${name}`);
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(headers.get('x-request-id') ?? ''))
    throw new Error('lacks a request id');
  // Without a body: the caller has it, or asks (HEAD) whether the typed entrance is there.
  if (status === 304 || status === 204) return;
  if (!headers.get('content-type')?.startsWith('application/json')) throw new Error('is not JSON');
}

const safe = [
  ['x-content-type-options', 'nosniff'],
  ['cache-control', 'no-store'],
  ['referrer-policy', 'no-referrer'],
] as const;
