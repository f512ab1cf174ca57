import { randomUUID } from 'node:crypto';
import { type Answer, exchange, NoAnswerError } from './exchange.ts';
import type { Terminal } from './terminal.ts';
import { backoffSeconds, sleep } from './waiting.ts';

/** The service refused, or did not answer as often as it was asked. */
export class ServiceError extends Error {
  override name = 'ServiceError';
  /** `X-Error-Reason` of the refusal; empty when there was none. */
  readonly reason: string;
  /** `X-Error-Since`: the moment to restart from, where there is one. */
  readonly since: string | undefined;
  /** The status of the refusal; 0 when there was no answer. */
  readonly status: number;
  /** The message of the service, alone. */
  readonly said: string;

  constructor(message: string, { reason = '', since, status = 0, said = message }: Partial<Refusal> = {}) {
    super(message);
    this.reason = reason;
    this.since = since;
    this.status = status;
    this.said = said;
  }
}

interface Refusal {
  reason: string;
  since: string | undefined;
  status: number;
  said: string;
}

/** A call: `path` begins with a slash. */
export interface Call {
  method?: 'GET' | 'POST';
  path: string;
  /** Undefined options are left out. */
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  /** Ask until there is an answer; otherwise five times. */
  forever?: boolean;
  /** Of a write: what makes its repeats one, also those of another run; otherwise new for each call. */
  idempotencyKey?: string;
  /** Wait so long where the service says to, in seconds; 900 unless given. */
  longestWaitSeconds?: number;
}

/** An answer. */
export interface Reply {
  /** Its JSON. */
  body: unknown;
  /** It is the answer to an earlier call with this idempotency key, and nothing was done now. */
  replayed: boolean;
}

/** The API, by its base URL and a key. */
export interface Service {
  /**
   * Calls, and gives the JSON of the answer. A transient failure (no answer, 408, 429, 5xx) is tried again, as
   * `Retry-After` says; a write has one idempotency key for all tries. @throws {ServiceError}
   */
  call(call: Call): Promise<unknown>;
  /** The same, and says whether it was done now. */
  ask(call: Call): Promise<Reply>;
}

const passing = [408, 429, 500, 502, 503, 504];
const mostTries = 5;
/** A longer wait, as when a month's limit is used up, is reported and not waited for. */
const usualLongestWaitSeconds = 900;

export function openService(base: URL, key: string | undefined, terminal: Terminal): Service {
  const service: Service = {
    call: async (call) => (await service.ask(call)).body,
    async ask({
      method = 'GET',
      path,
      query = {},
      body,
      forever = false,
      idempotencyKey = randomUUID(),
      longestWaitSeconds = usualLongestWaitSeconds,
    }) {
      const url = new URL(base.href.replace(/\/$/, '') + path);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, String(value));
      const headers = {
        accept: 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(method !== 'GET' && { 'idempotency-key': idempotencyKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      for (let tries = 1, noted = ''; ; tries += 1) {
        const asked = await exchange(url, { method, headers, ...text, timeoutMs: 60_000 }).catch(noAnswer);
        if (!(asked instanceof NoAnswerError) && asked.status >= 200 && asked.status < 300) {
          if (noted !== '') terminal.note(`${base.origin} answers again`);
          return {
            body: parse(asked.text, url),
            replayed: asked.headers['idempotency-replayed'] === 'true',
          };
        }
        const { message, requestId, mayPass, retryAfter, ...refusal } = troubleOf(asked, base);
        if (!mayPass || retryAfter > longestWaitSeconds || (!forever && tries >= mostTries))
          throw new ServiceError(requestId === '' ? message : `${message} (request ${requestId})`, {
            ...refusal,
            said: message,
          });
        const seconds = retryAfter || backoffSeconds(tries, 30);
        if (noted !== message) terminal.note(`${message}; asking again in ${seconds} s`);
        noted = message;
        await sleep(seconds * 1000);
      }
    },
  };
  return service;
}

const noAnswer = (error: unknown): NoAnswerError => {
  if (error instanceof NoAnswerError) return error;
  throw error;
};

interface Trouble extends Pick<Refusal, 'reason' | 'since' | 'status'> {
  message: string;
  /** Finds the call in the logs of the service. */
  requestId: string;
  mayPass: boolean;
  /** In seconds; 0 when the service names none. */
  retryAfter: number;
}

function troubleOf(asked: Answer | NoAnswerError, base: URL): Trouble {
  if (asked instanceof NoAnswerError)
    return {
      message: `${base.origin}: ${asked.message}`,
      reason: '',
      since: undefined,
      status: 0,
      requestId: '',
      mayPass: true,
      retryAfter: 0,
    };
  const { status, headers, text } = asked;
  const led = headers.location !== undefined && status < 400;
  const plain = led ? `leads to ${headers.location}: give that as the URL` : `answered ${status}`;
  return {
    message: errorOf(text) ?? `${base.origin} ${plain}`,
    reason: String(headers['x-error-reason'] ?? ''),
    since: headers['x-error-since']?.toString(),
    status,
    requestId: String(headers['x-request-id'] ?? ''),
    mayPass: passing.includes(status),
    retryAfter: Number(headers['retry-after']) || 0,
  };
}

/** The message of one of our errors. */
function errorOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error: { message: string } }).error.message;
  } catch {
    return undefined;
  }
}

function parse(text: string, url: URL): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError(`${url.origin}${url.pathname} answered no JSON: is this the URL of a Comanda?`);
  }
}
