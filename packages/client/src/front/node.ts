import type { IncomingMessage, ServerResponse } from 'node:http';
import { textOf } from './body.ts';
import { createGate, refusal } from './gate.ts';
import { accessBy, type FrontOptions } from './options.ts';

/** A handler of Node's server, and a middleware of Express. */
export type NodeFront<Incoming extends IncomingMessage> = (
  request: Incoming,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => Promise<void>;

/**
 * The front of `createFront` for Node's own server and for Express: `app.use(createNodeFront({ … }))`. A request
 * outside of `path` goes to `next`, where there is one. It takes an unread body, and one that `express.json()`,
 * `express.text()` or `express.raw()` has read into `request.body`.
 *
 * @throws {TypeError} when `path` does not begin with a slash.
 * @throws {RangeError} when `checkEveryMs` is not above 0.
 *
 * @example
 * createServer(createNodeFront({ url, key, path: '/comanda', allow: ({ headers }) => accessOf(headers.cookie) }));
 */
export function createNodeFront<Incoming extends IncomingMessage = IncomingMessage>(
  options: FrontOptions<Incoming>,
): NodeFront<Incoming> {
  const gate = createGate(options);
  return async (request, response, next) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { method = 'GET', url = '/', originalUrl } = request as Incoming & { originalUrl?: string };
    try {
      const answer = await gate({
        method,
        // Where Express mounts a handler it takes that part off the address.
        target: originalUrl ?? url,
        header: (name) => [request.headers[name]].flat()[0],
        body: () => bodyOf(request),
        gone: gone.signal,
        access: accessBy(options, request),
      });
      if (answer === undefined && next !== undefined) next();
      else await write(answer ?? refusal('unknown_path', undefined, crypto.randomUUID()), response);
    } catch (error) {
      if (response.headersSent || next === undefined) response.destroy();
      else next(error);
    }
  };
}

/** The body, read by any of them. */
async function bodyOf(request: IncomingMessage & { body?: unknown }): Promise<string> {
  const { body } = request;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  if (body !== undefined && body !== null && request.readableEnded) return JSON.stringify(body);
  // Left whole: who is refused for its length still gets the answer.
  return request.readableEnded ? '' : textOf(request.iterator({ destroyOnReturn: false }));
}

/** Writes an answer as it comes, no faster than the browser takes it. */
async function write(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) {
    response.end();
    return;
  }
  response.flushHeaders();
  const reader = answer.body.getReader();
  response.once('close', () => void reader.cancel().catch(() => {}));
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
    if (!response.closed && value !== undefined && !response.write(value)) await drained(response);
  response.end();
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.once('drain', done).once('close', done);
  });
