import { checkWebhookUrl, type UrlVerdict, type WebhookTargets } from '@comanda/api/services';
import { Agent } from 'undici';
import { createConnector, type ResolveName, resolveName } from './connector.ts';
import { exchange, LateError } from './exchange.ts';
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
  const judge = rememberVerdicts((url) => checkWebhookUrl(url, targets, allowCidrs));
  const inFlight = new Set<Promise<Attempt>>();
  let closed = false;

  return {
    send(request) {
      if (closed) return Promise.reject(new Error('the webhook sender is closed'));
      const verdict = judge(request.url);
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
const MOST_VERDICTS = 1_000;

// A verdict depends on the text and the settings alone: names are judged when they are resolved.
function rememberVerdicts(judge: (url: string) => UrlVerdict): (url: string) => UrlVerdict {
  const verdicts = new Map<string, UrlVerdict>();
  return (url) => {
    const known = verdicts.get(url);
    if (known !== undefined) return known;
    const verdict = judge(url);
    if (verdicts.size >= MOST_VERDICTS) verdicts.clear();
    verdicts.set(url, verdict);
    return verdict;
  };
}

async function post(
  agent: Agent,
  url: URL,
  { headers, body, signal }: WebhookRequest,
  timeoutMs: number,
): Promise<Attempt> {
  signal?.throwIfAborted();
  const startedAt = performance.now();
  try {
    // The status alone decides; how the body ends does not matter.
    const { statusCode, text, durationMs } = await exchange(agent, url, { headers, body, signal }, timeoutMs);
    const error = statusReason(statusCode);
    return {
      ok: error === undefined,
      responseCode: statusCode,
      ...(error !== undefined && { error }),
      ...(text !== undefined && { responseBody: text }),
      durationMs,
    };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const reason =
      error instanceof LateError
        ? `no answer within ${seconds(timeoutMs)}`
        : failureReason(error, url.hostname);
    return { ok: false, error: reason, durationMs: Math.round(performance.now() - startedAt) };
  }
}

function seconds(ms: number): string {
  return ms >= 1_000 ? `${ms / 1_000} s` : `${ms} ms`;
}
