import { textOf } from './body.ts';
import { createGate, refusal } from './gate.ts';
import { accessBy, type FrontOptions } from './options.ts';

/**
 * A server in front of browsers: sends calls of the typed client and the live stream of events on to the service, with
 * a key that no browser has, and refuses calls that a session may not make. For every server that responds to a `Request`
 * with a `Response`: Next.js, Hono, Deno, Bun, Workers. The browser's client: `createClient({ url: location.origin +
 * '/comanda', key: 'kept-by-the-server' })`.
 *
 * @throws {TypeError} when `path` does not begin with a slash.
 * @throws {RangeError} when `checkEveryMs` is not above 0.
 *
 * @example
 * const front = createFront({
 *   url: () => process.env['COMANDA_URL'],
 *   key: () => process.env['COMANDA_KEY'],
 *   path: '/comanda',
 *   allow: ({ headers }) => accessOf(headers.get('cookie')),
 * });
 * app.all('/comanda/*', ({ req }) => front(req.raw));
 */
export function createFront(options: FrontOptions<Request>): (request: Request) => Promise<Response> {
  const gate = createGate(options);
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const answer = await gate({
      method: request.method,
      target: pathname + search,
      header: (name) => request.headers.get(name) ?? undefined,
      body: () => textOf(request.body),
      gone: request.signal,
      access: accessBy(options, request),
    });
    return answer ?? refusal('unknown_path', undefined, crypto.randomUUID());
  };
}
