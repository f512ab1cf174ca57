import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { requestIdOf } from '../call/request-id.ts';
import { ApiError } from '../errors.ts';
import type { Reason } from '../reasons.ts';
import { commonHeaders, errorJson, reasonHeaders, sendJson } from './rest/answer.ts';

/**
 * Answers what never becomes an ordinary request, in the form of all errors: what Node's parser refuses, what comes
 * too slowly, and CONNECT. Returns what the server calls with each response it begins: an answer that is still under way
 * goes out first, or its caller would take the refusal for it.
 * @param serve responds to a request: one whose method the parser does not know gets 405 or 404, as its path says
 */
export function answerUnparsed(
  server: Server,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): (response: ServerResponse) => void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();
  const refuseOnce = (error: ParserError, socket: Duplex) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    const request = error.code === 'HPE_INVALID_METHOD' ? requestOf(error, socket) : undefined;
    refuse(error, socket, latest.get(socket), request && (() => serveLast(request, serve)));
  };
  server.on('clientError', (error: ParserError, socket) => {
    if (error.code !== late || !(socket instanceof Socket)) return refuseOnce(error, socket);
    const before = latest.get(socket);
    const isHeadLate = before?.req.complete ?? true;
    const isWhole = () => {
      const response = latest.get(socket);
      return response?.req.complete === true && (!isHeadLate || response !== before);
    };
    void unlessItCame(socket, isWhole, () => refuseOnce(error, socket));
  });
  server.on('connect', (_request, socket) => {
    socket.on('error', () => {});
    answerOn(socket, new ApiError('method_not_allowed', 'CONNECT is not allowed here.'));
  });
  return (response) => latest.set(response.req.socket, response);
}

/**
 * A process that stalled looks at its clock before it reads what came meanwhile. So a request is late when it is not
 * whole and a look at the socket brings nothing more of it.
 */
async function unlessItCame(socket: Socket, isWhole: () => boolean, refuse: () => void): Promise<void> {
  for (let known = -1; socket.bytesRead > known; ) {
    known = socket.bytesRead;
    await setImmediate();
    if (isWhole()) return;
  }
  refuse();
}

/** The request whose method Node's parser does not know (`patch`, `PROPFIND2`), when its request line is whole. */
function requestOf({ rawPacket, bytesParsed = 0 }: ParserError, socket: Duplex): IncomingMessage | undefined {
  if (rawPacket === undefined || !(socket instanceof Socket)) return undefined;
  const text = rawPacket.toString('latin1');
  const line = text.slice(text.lastIndexOf('\n', bytesParsed - 1) + 1);
  const [, method, url] = /^([\w!#$%&'*+.^`|~-]{1,32}) (\/\S*) HTTP\/1\.[01]\r?\n/.exec(line) ?? [];
  if (method === undefined) return undefined;
  const request = new IncomingMessage(socket);
  // The headers are not parsed. HTTP/1.1 would require a Host, so the request is taken for one of HTTP/1.0.
  return Object.assign(request, { method, url, httpVersion: '1.0', complete: true });
}

/** Serves the last request of a connection, whose parser has ended. */
function serveLast(
  request: IncomingMessage,
  serve: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  const { socket } = request;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => endSoon(socket));
  serve(request, response);
}

type ParserError = Error & { code?: string; reason?: string; rawPacket?: Buffer; bytesParsed?: number };

/** @param answer that takes the place of the refusal */
function refuse(
  error: ParserError,
  socket: Duplex,
  response: ServerResponse | undefined,
  answer?: () => void,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error);
  if (response === undefined || response.writableFinished || response.destroyed) {
    if (answer === undefined) answerOn(socket, refusal, isHead(error));
    else answer();
  } else if (response.req.complete) {
    response.once('close', () => refuse(error, socket, undefined, answer));
  } else if (response.headersSent) {
    endSoon(socket);
  } else {
    const requestId = requestIdOf(response.req.headers['x-request-id']);
    const headers = { ...reasonHeaders(refusal), Connection: 'close' };
    sendJson(response.req, response, refusal.status, errorJson(refusal, requestId), requestId, headers);
  }
}

// A client that sends HEAD takes a body for the beginning of another answer.
const isHead = ({ rawPacket }: ParserError): boolean =>
  rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';

function answerOn(socket: Duplex, error: ApiError, bodiless = false): void {
  const requestId = requestIdOf(undefined);
  const { status } = error;
  const body = errorJson(error, requestId);
  const headers = {
    ...commonHeaders,
    ...reasonHeaders(error),
    Date: new Date().toUTCString(),
    'X-Request-Id': requestId,
    'Content-Length': Buffer.byteLength(body),
    ...(status === 405 && { Allow: 'GET, HEAD, POST, PATCH, DELETE' }),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  endSoon(
    socket,
    `HTTP/1.1 ${status} ${phrases[status] ?? ''}\r\n${lines.join('')}\r\n${bodiless ? '' : body}`,
  );
}

// A caller who does not close its side would keep the connection: it has a second to read the answer.
function endSoon(socket: Duplex, text = ''): void {
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), 1_000);
  socket.once('close', () => clearTimeout(timer));
}

function refusalOf({ code = '', reason = '' }: ParserError): ApiError {
  // The same code is given where there is a length, too. That leaves the end of the body open, which is a 400.
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && !reason.includes('Content-Length')) return unknownCoding();
  const [name, message] = refusals[code] ?? defaultRefusal;
  return new ApiError(name, message);
}

const defaultRefusal = ['unreadable_request', 'The request cannot be read.'] as const;

const late = 'ERR_HTTP_REQUEST_TIMEOUT';

const refusals: Record<string, readonly [Reason, string]> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers are too large.'],
  [late]: ['request_timeout', 'The request did not arrive in time.'],
};

const phrases: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  501: 'Not Implemented',
};

/** The refusal of a transfer coding other than `chunked`. It closes the connection: the body cannot be read. */
export const unknownCoding = (): ApiError =>
  new ApiError('unknown_transfer_coding', 'The body must come as it is, or chunked.', {
    headers: { Connection: 'close' },
  });
