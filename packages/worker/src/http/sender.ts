import { checkWebhookUrl, type WebhookTargets } from '@comanda/api/services';
import { Agent, type Dispatcher, request as httpRequest } from 'undici';
import { readAnswer } from './answer.ts';
import { createConnector, type ResolveName, resolveName } from './connector.ts';
import { failureReason, statusReason } from './reasons.ts';

/** What one delivery attempt came to. */
export interface Attempt {
  /** A 2xx status arrived in time. */
  ok: boolean;
  responseCode?: number;
  /** Why it is not ok, in words for the endpoint's owner. */
  error?: string;
  /** The first KiB of the answer as text; absent when there is none, or it is compressed. */
  responseBody?: string;
  /** Milliseconds until the answer's head, or until the failure. */
  durationMs: number;
}

/** One POST. `signal` gives the attempt up: the promise then rejects with its reason. */
export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal?: AbortSignal;
}

/** Sends webhooks to addresses that are allowed, and to no other. */
export interface WebhookSender {
  /** Rejects only for `signal`, or after `close`; every failure of the consumer is an {@link Attempt}. */
  send(request: WebhookRequest): Promise<Attempt>;
  /** Refuses further requests, waits for those in flight, closes every connection. */
  close(): Promise<void>;
}

export interface WebhookSenderOptions {
  /** Time for name, connection, request and answer together; 30,000 at most. */
  timeoutMs: number;
  targets: WebhookTargets;
  allowCidrs: readonly string[];
  /** DNS; the operating system's unless given. */
  resolve?: ResolveName;
  /** Certificates (PEM) trusted instead of the public ones. */
  ca?: string | string[];
  /** Connections to one origin; a request beyond them waits inside its time limit. */
  connectionsPerOrigin?: number;
}

/**
 * The only way out for webhooks: a pool of connections of its own, where each was opened to a checked address.
 * No redirects, no decompression, nothing of the environment's proxies; at most 64 KiB of an answer is read.
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { targets, allowCidrs, connectionsPerOrigin = 256, resolve = resolveName, ca } = options;
  const timeoutMs = Math.min(options.timeoutMs, MAX_TIMEOUT_MS);
  const agent = new Agent({
    connect: createConnector({ timeoutMs, targets, allowCidrs, resolve, ca }),
    connections: connectionsPerOrigin,
    pipelining: 1,
    // Shorter than any server's, so that a POST rarely meets a connection that is just being closed.
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const inFlight = new Set<Promise<Attempt>>();
  let closed = false;

  return {
    send(request) {
      if (closed) return Promise.reject(new Error('the webhook sender is closed'));
      const verdict = checkWebhookUrl(request.url, targets, allowCidrs);
      if (!verdict.ok) {
        return Promise.resolve({ ok: false, error: `url ${verdict.reason}`, durationMs: 0 });
      }
      const attempt = post(agent, verdict.url, request, timeoutMs);
      inFlight.add(attempt);
      const done = () => inFlight.delete(attempt);
      attempt.then(done, done);
      return attempt;
    },
    async close() {
      closed = true;
      await Promise.allSettled(inFlight);
      await agent.destroy();
    },
  };
}

const MAX_TIMEOUT_MS = 30_000;
const IDLE_MS = 1_000;

async function post(
  agent: Agent,
  url: URL,
  { headers, body, signal }: WebhookRequest,
  timeoutMs: number,
): Promise<Attempt> {
  signal?.throwIfAborted();
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  const limit = startLimit(timeoutMs, signal);
  try {
    const answer = httpRequest(url, {
      dispatcher: agent,
      method: 'POST',
      headers,
      body,
      signal: limit.signal,
    });
    // undici notices the signal only once it is connected; the race keeps the limit exact before that.
    const head = await Promise.race([answer, limit.reached]);
    const durationMs = elapsedMs();
    return { ...(await judge(head, timeoutMs - durationMs)), durationMs };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const reason = limit.signal.aborted ? `no answer within ${seconds(timeoutMs)}` : undefined;
    return { ok: false, error: reason ?? failureReason(error, url.hostname), durationMs: elapsedMs() };
  } finally {
    limit.stop();
  }
}

// The status alone decides; the body is read as far as it comes, and how it ends does not matter.
async function judge(head: Dispatcher.ResponseData, remainingMs: number) {
  const error = statusReason(head.statusCode);
  const responseBody = await readAnswer(head, remainingMs);
  return {
    ok: error === undefined,
    responseCode: head.statusCode,
    ...(error !== undefined && { error }),
    ...(responseBody !== undefined && { responseBody }),
  };
}

/** One time limit that the caller's signal can cut short; `reached` rejects when either happens. */
function startLimit(timeoutMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  const timer = setTimeout(abort, timeoutMs);
  outer?.addEventListener('abort', abort, { once: true });
  const reached = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  reached.catch(() => undefined);
  return {
    signal: controller.signal,
    reached,
    stop() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}

function seconds(ms: number): string {
  return ms >= 1_000 ? `${ms / 1_000} s` : `${ms} ms`;
}
