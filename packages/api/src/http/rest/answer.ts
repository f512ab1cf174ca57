import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiError } from '../../errors.ts';

/** Headers on every answer of every kind: nothing is guessed at, run, framed, or told to another site. */
export const safeHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const;

/** Headers on every answer of the API: JSON that nobody keeps. */
export const commonHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  ...safeHeaders,
} as const;

/** Headers on every 304: those of the answer it stands for, without what describes a body. */
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

/** Sends JSON text. `headers` win over the common ones. */
export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  json: string,
  requestId: string,
  headers: Record<string, string>,
): void {
  const list = headerList(commonHeaders, requestId, headers);
  list.push('Content-Length', String(Buffer.byteLength(json)));
  response.writeHead(status, list);
  // As a string: Node then writes head and body with one call.
  response.end(request.method === 'HEAD' ? undefined : json);
}

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
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const json = errorJson(error, requestId);
  const merged = { ...headers, ...error.headers };
  if (request.complete || !hasBody(request)) {
    sendJson(request, response, error.status, json, requestId, merged);
    return;
  }
  const bytes = Buffer.from(json);
  const list = headerList(commonHeaders, requestId, { ...merged, Connection: 'close' });
  response.writeHead(error.status, [...list, 'Content-Length', String(bytes.length)]);
  response.write(bytes);
  dropRest(request, () => response.end());
}

/** The error envelope as JSON text. */
export function errorJson({ reason, message }: ApiError, requestId: string): string {
  return JSON.stringify({ error: { code: reason, message, request_id: requestId } });
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
