/** Calls that a request asks for: one, or a batch. */
export interface CallsRoute {
  kind: 'calls';
  names: string[];
  isBatch: boolean;
  /** The input, where it is in the address. */
  input: string | undefined;
}

/** The live stream of events. */
export interface StreamRoute {
  kind: 'stream';
  query: URLSearchParams;
}

/** The target of a request at a front whose path is `base`; `outside` where it belongs to another handler. */
export function routeOf(target: string, base: string): CallsRoute | StreamRoute | 'unknown' | 'outside' {
  // Put behind a host: what begins with two slashes would name another one.
  const written = `http://front${target}`;
  if (!target.startsWith('/') || !URL.canParse(written)) return 'outside';
  const { pathname, searchParams } = new URL(written);
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return 'outside';
  const rest = pathname.slice(base.length);
  if (rest === '/v2/events/stream') return { kind: 'stream', query: searchParams };
  if (!rest.startsWith('/trpc/')) return 'unknown';
  const isBatch = searchParams.get('batch') === '1';
  const named = decoded(rest.slice('/trpc/'.length));
  const input = searchParams.get('input') ?? undefined;
  return { kind: 'calls', names: isBatch ? named.split(',') : [named], isBatch, input };
}

/** Text that no client could have encoded names no procedure. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
