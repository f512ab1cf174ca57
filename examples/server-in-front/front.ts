/** What stands between a browser and Comanda. */
export interface FrontOptions {
  /** The base URL of Comanda. */
  url: string;
  /** The API key. It never leaves this server; give it no permission that the list does not need. */
  key: string;
  /** The procedures that the browser may call, such as `orders.list`. All others are refused. */
  allowed: readonly string[];
  /** Where the front stands in your server: `/comanda`. */
  path: string;
}

/**
 * Passes a request of the typed client on to Comanda, with the key. Refuse who is not signed in before you call it. In the
 * browser: `createClient({ url: location.origin + '/comanda', key: 'kept-by-the-server' })`.
 */
export function createFront({
  url,
  key,
  allowed,
  path,
}: FrontOptions): (request: Request) => Promise<Response> {
  const known = new Set(allowed);
  const target = new URL('trpc/', url.endsWith('/') ? url : `${url}/`);
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const before = `${path}/trpc/`;
    if (!pathname.startsWith(before)) return refused(404, 'There is nothing at this address.');
    // A batch names its procedures with commas between them: each must be allowed.
    const names = decoded(pathname.slice(before.length)).split(',');
    const other = names.find((name) => !known.has(name));
    if (other !== undefined) return refused(403, `${other} is not for this application.`);
    // A page of another origin cannot set this header without asking first.
    if (request.method === 'POST' && request.headers.get('content-type') !== 'application/json')
      return refused(415, 'The body must be application/json.');
    const asked = fetch(new URL(names.map(encodeURIComponent).join(',') + search, target), {
      method: request.method,
      // None of the browser's own: cookies stay here, as the key does.
      headers: {
        authorization: `Bearer ${key}`,
        ...(request.method === 'POST' && { 'content-type': 'application/json' }),
      },
      body: request.method === 'POST' ? await request.text() : null,
      signal: request.signal,
    });
    const answer = await asked.catch(() => undefined);
    if (answer === undefined) return refused(503, 'Comanda cannot be reached.');
    const headers = new Headers({ 'cache-control': 'no-store' });
    for (const name of handedOn) {
      const value = answer.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    return new Response(answer.body, { status: answer.status, headers });
  };
}

/** Of Comanda's answer: its kind, and what the client reads. */
const handedOn = ['content-type', 'idempotency-replayed', 'retry-after', 'x-request-id'];

/** What no one could have encoded names no procedure. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function refused(status: number, message: string): Response {
  return Response.json({ error: { message } }, { status, headers: { 'cache-control': 'no-store' } });
}
