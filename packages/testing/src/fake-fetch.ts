import { Unanswered } from './outcomes.ts';
import type { StubRequest } from './stub.ts';

/** A call as it was sent. */
export interface FakeCall {
  path: string;
  /** Without what a call leaves out; `undefined` for a call without an input. */
  input: unknown;
}

/** An error that an answer function threw that is neither a refusal nor `unanswered`. */
class Thrown extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super('an answer of a fake client threw', { cause: error });
    this.error = error;
  }
}

/** The network of a fake: what its client sends goes to a function of this process. */
export interface FakeNetwork {
  fetch: typeof fetch;
  /** Breaks what is open, and refuses what comes, until `reconnect`. */
  disconnect(): void;
  reconnect(): void;
}

/** Makes one. `serve` answers; it rejects with what an answer failed with. */
export function createNetwork(
  serve: (request: StubRequest) => Promise<Response>,
  calls: FakeCall[],
): FakeNetwork {
  let isConnected = true;
  const open = new Set<AbortController>();
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { method = 'GET', headers, body, signal } = init;
    const text = String(body ?? '');
    calls.push(...callsOf(url, text));
    if (!isConnected) throw noConnection();
    if (signal?.aborted) throw signal.reason;
    const ending = new AbortController();
    const end = () => {
      open.delete(ending);
      ending.abort(signal?.reason);
    };
    const ended = new Promise<never>((_, reject) => {
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason));
    });
    signal?.addEventListener('abort', end);
    open.add(ending);
    const request = { url, method, headers: new Headers(headers), body: text, signal: ending.signal };
    let isStream = false;
    try {
      const answer = await Promise.race([serve(request).catch(failed), ended]);
      isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
      return answer;
    } finally {
      if (!isStream) {
        open.delete(ending);
        signal?.removeEventListener('abort', end);
      }
    }
  };
  return {
    fetch: (url, init) => send(String(url), init),
    disconnect() {
      isConnected = false;
      for (const each of open) each.abort(noConnection());
      open.clear();
    },
    reconnect() {
      isConnected = true;
    },
  };
}

const noConnection = () =>
  new TypeError('fetch failed', { cause: new Error('the fake refuses the connection') });

function failed(error: unknown): Response {
  if (!(error instanceof Unanswered)) throw new Thrown(error);
  if (error.kind === 'unreachable') throw noConnection();
  if (error.kind !== 'strange') throw error;
  return new Response('<html></html>', { status: 502, headers: { 'content-type': 'text/html' } });
}

function callsOf(href: string, body: string): FakeCall[] {
  const { pathname, searchParams } = new URL(href);
  if (!pathname.startsWith('/trpc/')) return [];
  const paths = pathname.slice('/trpc/'.length).split(',');
  if (!searchParams.has('batch')) return paths.map((path) => ({ path, input: parsed(body) }));
  const inputs = parsed(searchParams.get('input') ?? '') as Record<number, unknown> | undefined;
  return paths.map((path, index) => ({ path, input: inputs?.[index] }));
}

const parsed = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));

/**
 * A client whose calls throw what an answer function threw, and say `timeout` and `aborted` where it did: over a network
 * both would take their time.
 */
export function asThrown<Client extends object>(client: Client): Client {
  return new Proxy(client, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name);
      return typeof name === 'string' && typeof value === 'function' ? asThrown(value) : value;
    },
    apply(inner, self, given) {
      const answer: unknown = Reflect.apply(inner as (...given: unknown[]) => unknown, self, given);
      return answer instanceof Promise ? answer.catch((error: Failure) => rethrow(error)) : answer;
    },
  });
}

type Failure = Error & { cause?: { cause?: unknown } };

function rethrow(error: Failure): never {
  const why = error.cause?.cause;
  if (why instanceof Thrown) throw why.error;
  if (!(why instanceof Unanswered)) throw error;
  const said = why.kind === 'timeout' ? 'no answer in time' : 'given up';
  error.message = error.message.replace(/: no answer: .*/s, `: ${said}`);
  throw Object.assign(error, { noAnswer: why.kind, cause: undefined });
}
