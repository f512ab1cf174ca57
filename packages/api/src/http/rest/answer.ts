import type { IncomingMessage, ServerResponse } from 'node:http';
import { namesInHeader } from '../../call/unknown-fields.ts';
import type { ApiError } from '../../errors.ts';

/**
 * Headers on every answer of every kind: the type is not guessed at, nothing is run or framed, and no address is sent
 * to another site.
 */
export const safeHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const;

/** Headers on every answer of the API: JSON that no cache keeps. */
export const commonHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  Vary: 'Accept-Encoding',
  ...safeHeaders,
} as const;

/** Headers on every 304: those of the answer that it represents, without those that describe a body. */
const bodilessHeaders = { 'Cache-Control': commonHeaders['Cache-Control'], ...safeHeaders } as const;

/**
 * The headers of an answer, name and value in turn, as `writeHead` takes them; `headers` win over the common ones. Not
 * an object: making one of several costs as much as sending it.
 */
export function headerList(
  common: Readonly<Record<string, string>>,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): string[] {
  const list = ['X-Request-Id', requestId];
  for (const name in common) if (headers[name] === undefined) list.push(name, common[name] ?? '');
  for (const name in headers) list.push(name, headers[name] ?? '');
  return list;
}

/** Sends JSON, as text or packed. `headers` win over the common ones. */
export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  json: string | Buffer,
  requestId: string,
  headers: Record<string, string>,
): void {
  const list = headerList(commonHeaders, requestId, headers);
  // As a string: Node then writes head and body with one call. A large one would wait for its caller in the heap.
  const body = outsideHeap(json);
  list.push('Content-Length', String(Buffer.byteLength(body)));
  response.writeHead(status, list);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** From this length on a text waits as bytes. */
const largeText = 32 * 1024;

/** A text as it waits to be sent: a large one as bytes, which are outside the heap. */
export const outsideHeap = (text: string | Buffer): string | Buffer =>
  typeof text === 'string' && text.length >= largeText ? Buffer.from(text) : text;

/** Sends 304: the caller has the answer already. No body; the headers, limits among them, are those of the answer. */
export function sendNotModified(
  response: ServerResponse,
  requestId: string,
  headers: Record<string, string>,
): void {
  response.writeHead(304, headerList(bodilessHeaders, requestId, headers));
  response.end();
}

/** Sends the specification's error envelope, with the headers of the refusal. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: ApiError,
  requestId: string,
  headers: Record<string, string> = {},
): void {
  const merged = { ...headers, ...error.headers, ...reasonHeaders(error, headers.Link) };
  sendRefusal(request, response, error.status, errorJson(error, requestId), requestId, merged);
}

/** Sends JSON text that refuses a request whose body may still be coming. */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  json: string,
  requestId: string,
  headers: Record<string, string>,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (request.complete || !hasBody(request)) {
    sendJson(request, response, status, json, requestId, headers);
    return;
  }
  const bytes = Buffer.from(json);
  const list = headerList(commonHeaders, requestId, { ...headers, Connection: 'close' });
  response.writeHead(status, [...list, 'Content-Length', String(bytes.length)]);
  response.write(bytes);
  dropRest(request, () => response.end());
}

/**
 * The headers that explain an error to programs: the reason, next to other links the page that explains it,
 * the failing fields, and the moment to restart from.
 */
export const reasonHeaders = (
  { reason, since, fields }: ApiError,
  link?: string,
): Record<string, string> => ({
  'X-Error-Reason': reason,
  ...failingFields(fields),
  ...(since !== undefined && { 'X-Error-Since': since.toISOString() }),
  Link: `${link === undefined ? '' : `${link}, `}</docs/errors#${reason}>; rel="help"`,
});

// The input as a whole has no path.
function failingFields(fields: ApiError['fields']): Record<string, string> {
  const names = namesInHeader(fields.map(({ path }) => path).filter((path) => path !== ''));
  return names === '' ? {} : { 'X-Error-Fields': names };
}

/** The error envelope as JSON text. */
export function errorJson({ errorCode: code, message }: ApiError, requestId: string): string {
  return JSON.stringify({ error: { code, message, request_id: requestId } });
}

const hasBody = (request: IncomingMessage) =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

// A caller still sending would see a reset instead of the answer: it has the whole answer by now, so a bounded
// rest of its body is read and dropped before the connection closes.
function dropRest(request: IncomingMessage, done: () => void): void {
  let dropped = 0;
  const timer = setTimeout(end, 1_000);
  function end(): void {
    clearTimeout(timer);
    done();
  }
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > 10 * 1024 * 1024) end();
  });
  for (const event of ['end', 'error', 'close']) request.once(event, end);
  request.resume();
}
