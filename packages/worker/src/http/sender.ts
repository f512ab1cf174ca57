import { checkWebhookUrl, type UrlVerdict, type WebhookTargets } from '@comanda/api/services';
import { attemptMs, type Clock, systemClock } from '@comanda/db';
import { Agent } from 'undici';
import { createConnector, type ResolveName, resolveName } from './connector.ts';
import { type ExchangeLimits, exchange, LateError, StaleError } from './exchange.ts';
import { createKeptOrigins, createOpenedConnections } from './kept-connections.ts';
import { failureReason, isConnectionLost, isConnectTimeout, statusReason } from './reasons.ts';

/** The result of one delivery attempt. */
export interface Attempt {
  /** A 2xx status arrived in time. */
  ok: boolean;
  responseCode?: number;
  /** Why it is not ok, in words for the endpoint's owner. */
  error?: string;
  /** The first KiB of the answer as text; absent when there is none, or it is compressed. */
  responseBody?: string;
  /** Neither a connection nor an answer came in time. */
  timedOut?: true;
  /** Milliseconds from the connection until the answer's head; without an answer from the beginning to the failure. */
  durationMs: number;
}

/**
 * One POST. `signal` gives the attempt up: the promise then rejects with its reason. When there is a connection only
 * after `sendBy`, on the worker's clock, nothing is sent and it rejects with a `StaleError`.
 */
export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
  signal?: AbortSignal;
  sendBy?: number;
}

/** Sends webhooks to addresses that are allowed, and to no other. */
export interface WebhookSender {
  /** Rejects only for `signal` and `sendBy`, or after `close`; every failure of the consumer is an {@link Attempt}. */
  send(request: WebhookRequest): Promise<Attempt>;
  /** Refuses further requests, waits for those in flight, closes every connection. */
  close(): Promise<void>;
}

export interface WebhookSenderOptions {
  /** Time for request and answer, from the connection; 30,000 at most. Name and connection: the same, 10 s at most. */
  timeoutMs: number;
  /** The machine's unless given. */
  clock?: Clock;
  targets: WebhookTargets;
  allowCidrs: readonly string[];
  /** DNS; the operating system's unless given. */
  resolve?: ResolveName;
  /** Certificates (PEM) trusted instead of the public ones. */
  ca?: string | string[];
}

/**
 * The only way out for webhooks: a pool of connections of its own, where each was opened to a checked address. No
 * request waits for another's connection: how many there are is the caller's to limit.
 * No redirects, no decompression, nothing of the environment's proxies; at most 64 KiB of an answer is read.
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { targets, allowCidrs, resolve = resolveName, ca, clock = systemClock } = options;
  const timeoutMs = Math.min(options.timeoutMs, attemptMs);
  const limits = { timeoutMs, connectMs: connectMsOf(timeoutMs), clock };
  const opened = createOpenedConnections();
  const names = createConnector({ timeoutMs: limits.connectMs, targets, allowCidrs, resolve, ca });
  const connect = opened.counted(names.connect);
  const agentKeeping = (idleMs: number) =>
    new Agent({
      connect,
      pipelining: 1,
      // A consumer that states a shorter time in `Keep-Alive` is believed.
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: maxHeadBytes,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  const lasting = agentKeeping(keepMs);
  const brief = agentKeeping(1_000);
  const keptOf = createKeptOrigins(mostKept, keepMs);
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
      const { url } = verdict;
      const kept = keptOf(url.origin, clock.now());
      const line: Line = {
        agent: kept === undefined ? brief : lasting,
        opened: () => opened.of(url.origin),
        async judge() {
          const now = clock.now();
          if (kept === undefined || now - kept.checkedAt < checkedMs) return;
          await within(limits, names.check(url));
          kept.checkedAt = now;
        },
      };
      const attempt = post(line, url, request, limits);
      inFlight.add(attempt);
      const done = () => inFlight.delete(attempt);
      attempt.then(done, done);
      return attempt;
    },
    async close() {
      closed = true;
      await Promise.allSettled(inFlight);
      await Promise.all([lasting.destroy(), brief.destroy()]);
    },
  };
}

/** How long the connection for an attempt may take, where its answer may take `timeoutMs`. */
export function connectMsOf(timeoutMs: number): number {
  return Math.min(timeoutMs, maxConnectMs);
}

const maxConnectMs = 10_000;
/** The longest head of an answer. Other clients take as much; Node's default is 16 KiB. */
const maxHeadBytes = 64 * 1_024;
// An endpoint that hears once a minute keeps its connection, and with it the TLS handshake. Most routers forget later.
const keepMs = 65_000;
/** Origins whose connections are kept; those of others end a second after their last answer. */
const mostKept = 1_000;
/** For so long an answer of DNS counts for connections that are open. */
const checkedMs = 1_000;
const mostVerdicts = 1_000;

// A verdict depends on the text and the settings alone: names are judged when they are resolved.
function rememberVerdicts(judge: (url: string) => UrlVerdict): (url: string) => UrlVerdict {
  const verdicts = new Map<string, UrlVerdict>();
  return (url) => {
    const known = verdicts.get(url);
    if (known !== undefined) return known;
    const verdict = judge(url);
    if (verdicts.size >= mostVerdicts) verdicts.clear();
    verdicts.set(url, verdict);
    return verdict;
  };
}

/** An agent for the origin of a request. */
interface Line {
  agent: Agent;
  /** How many connections were opened to the origin. */
  opened(): number;
  /** Rejects when the name of a connection that is kept leads to an address that is not allowed by now. */
  judge(): Promise<void>;
}

/** @throws {LateError} when it takes longer. */
async function within({ connectMs, clock }: ExchangeLimits, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((_, reject) => {
    timer = clock.setTimeout(() => reject(new LateError('connection')), connectMs);
  });
  await Promise.race([work, late]).finally(() => clock.clearTimeout(timer));
}

async function post(
  { agent, opened, judge }: Line,
  url: URL,
  { headers, body, signal, sendBy }: WebhookRequest,
  limits: ExchangeLimits,
): Promise<Attempt> {
  signal?.throwIfAborted();
  const { clock } = limits;
  const startedAt = clock.now();
  const once = () => exchange(agent, url, { headers, body, signal, sendBy }, limits);
  try {
    await judge();
    signal?.throwIfAborted();
    const known = opened();
    const sentAt = clock.now();
    // The status alone decides; how the body ends does not matter.
    const { statusCode, text, durationMs } = await once().catch((error: unknown) => {
      // A kept connection that its consumer was just closing: the next one may be well. A webhook may arrive twice.
      const soon = clock.now() - sentAt < 1_000;
      if (soon && isConnectionLost(error) && opened() === known && !signal?.aborted) return once();
      throw error;
    });
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
    if (error instanceof StaleError) throw error;
    const reason =
      error instanceof LateError
        ? `no ${error.missing} within ${seconds(error.missing === 'answer' ? limits.timeoutMs : limits.connectMs)}`
        : failureReason(error, url.hostname);
    const timedOut = error instanceof LateError || isConnectTimeout(error);
    const durationMs = Math.round(clock.now() - startedAt);
    return { ok: false, error: reason, ...(timedOut && { timedOut }), durationMs };
  }
}

function seconds(ms: number): string {
  return ms >= 1_000 ? `${ms / 1_000} s` : `${ms} ms`;
}
