import { Agent, request } from 'node:http';

/** The outcome of a call: an answer, surely nothing, or unknown. */
export type Outcome =
  | {
      kind: 'answered';
      status: number;
      text: string;
      replayed: boolean;
      retryAfterSeconds?: number;
      etag?: string;
    }
  /** No connection was made: it cannot have had an effect. */
  | { kind: 'unsent' }
  /** The connection died, or no answer came in time. */
  | { kind: 'unknown'; reason: string };

/** A call of the REST entrance; `route` is `POST /v2/orders`. */
export interface Call {
  route: string;
  key: string;
  body?: unknown;
  idempotencyKey?: string;
  ifMatch?: string;
}

/** Calls a service that may die under the call. */
export interface Caller {
  /** Never throws. */
  call(baseUrl: string, call: Call): Promise<Outcome>;
  /** Calls that are written whole and not answered yet. */
  inFlight(): number;
  close(): void;
}

/** How long an answer is waited for. */
const patienceMs = 60_000;

/** Makes one, with connections of its own that are kept alive. */
export function createCaller(): Caller {
  const agent = new Agent({ keepAlive: true });
  let inFlight = 0;
  const call = (baseUrl: string, { route, key, body, idempotencyKey, ifMatch }: Call) => {
    const [method = 'GET', path = '/'] = route.split(' ');
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise<Outcome>((resolve) => {
      let written = false;
      let over = false;
      const end = (outcome: Outcome) => {
        if (over) return;
        over = true;
        if (written) inFlight -= 1;
        resolve(outcome);
      };
      const outgoing = request(baseUrl + path, {
        method,
        agent,
        signal: AbortSignal.timeout(patienceMs),
        headers: {
          authorization: `Bearer ${key}`,
          ...(text !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        },
      });
      outgoing.on('finish', () => {
        if (over) return;
        written = true;
        inFlight += 1;
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) =>
        end(
          error.code === 'ECONNREFUSED'
            ? { kind: 'unsent' }
            : { kind: 'unknown', reason: error.code ?? error.message },
        ),
      );
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        // Without `end` the answer was cut off.
        incoming.on('close', () => end({ kind: 'unknown', reason: 'the answer was cut off' }));
        incoming.on('error', () => end({ kind: 'unknown', reason: 'the answer was cut off' }));
        incoming.on('end', () => {
          const { 'retry-after': retryAfter, etag } = incoming.headers;
          end({
            kind: 'answered',
            status: incoming.statusCode ?? 0,
            text: Buffer.concat(chunks).toString('utf8'),
            replayed: incoming.headers['idempotency-replayed'] === 'true',
            ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }),
            ...(etag !== undefined && { etag }),
          });
        });
      });
      outgoing.end(text);
    });
  };
  return { call, inFlight: () => inFlight, close: () => agent.destroy() };
}
