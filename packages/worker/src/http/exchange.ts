import type { Clock } from '@comanda/db';
import type { Agent, Dispatcher } from 'undici';
import { type AnswerText, createAnswerText } from './answer.ts';
import { begunAnswer } from './answer-status.ts';

/** How a consumer answered. */
export interface Answer {
  statusCode: number;
  /** The first KiB of what it said; absent when it said nothing, or compressed it. */
  text?: string;
  /** Milliseconds from the connection until the head of the answer. */
  durationMs: number;
}

/** The request to send; `signal` gives it up. */
export interface Exchange {
  headers: Record<string, string>;
  body: string | Buffer;
  signal?: AbortSignal | undefined;
  /** On the worker's clock: when the connection is there only later, nothing is sent. */
  sendBy?: number | undefined;
}

/** How long a connection, and then the head of the answer, may take, in milliseconds. */
export interface ExchangeLimits {
  connectMs: number;
  timeoutMs: number;
  clock: Clock;
}

/** No connection, or no head of an answer, came within its limit. */
export class LateError extends Error {
  override name = 'LateError';
  readonly missing: 'connection' | 'answer';
  constructor(missing: 'connection' | 'answer') {
    super(`no ${missing} in time`);
    this.missing = missing;
  }
}

/** The connection was there after `sendBy`. Nothing was sent; the connection is kept for the next request. */
export class StaleError extends Error {
  override name = 'StaleError';
}

/**
 * Posts once and reads the answer: lookup and connection within `connectMs`, from then on its head within `timeoutMs`,
 * then the body best-effort, for 1 s at most, within the limit, and 64 KiB. A connection whose answer was not read to its
 * end is closed. It speaks undici's dispatch itself: a stream and an abort signal for each request cost more
 * than the request.
 *
 * @throws {LateError} when a limit is reached before the head; {StaleError}; what undici says; the reason of `signal`.
 */
export function exchange(
  agent: Agent,
  url: URL,
  { headers, body, signal, sendBy = Number.POSITIVE_INFINITY }: Exchange,
  { connectMs, timeoutMs, clock }: ExchangeLimits,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let connectedAt = 0;
    let controller: Dispatcher.DispatchController | undefined;
    let head: { statusCode: number; durationMs: number; said: AnswerText } | undefined;
    let over = false;
    /** Why it was given up while it waited for its connection. */
    let refused: Error | undefined;

    const end = (reason?: Error) => {
      if (over) return;
      over = true;
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      if (head === undefined) return reject(reason);
      const text = head.said.text();
      const { statusCode, durationMs } = head;
      resolve({ statusCode, durationMs, ...(text !== undefined && { text }) });
    };
    const hangUp = (reason: Error) => {
      end(reason);
      if (controller === undefined) refused = reason;
      else controller.abort(reason);
    };
    const giveUp = () => hangUp(signal?.reason);
    let timer = clock.setTimeout(() => hangUp(new LateError('connection')), connectMs);
    signal?.addEventListener('abort', giveUp, { once: true });

    agent.dispatch(
      { origin: url.origin, path: `${url.pathname}${url.search}`, method: 'POST', headers, body },
      {
        onRequestStart(started) {
          controller = started;
          if (refused !== undefined) return started.abort(refused);
          connectedAt = clock.now();
          // Thrown, not aborted: an abort would cost the connection.
          if (connectedAt > sendBy) throw new StaleError('the connection came too late');
          clock.clearTimeout(timer);
          timer = clock.setTimeout(() => hangUp(new LateError('answer')), timeoutMs);
        },
        onResponseStart(_, statusCode, answered) {
          if (statusCode < 200) return;
          const durationMs = Math.round(clock.now() - connectedAt);
          head = { statusCode, durationMs, said: createAnswerText(answered) };
          clock.clearTimeout(timer);
          const restMs = Math.max(0, Math.min(timeoutMs - durationMs, maxReadMs));
          timer = clock.setTimeout(() => hangUp(new LateError('answer')), restMs);
        },
        onResponseData(_, piece) {
          if (head?.said.take(piece) === false) hangUp(new Error('enough was read'));
        },
        onResponseEnd: () => end(),
        onResponseError(_, error) {
          const { status: statusCode = 0, isHead = false } = begunAnswer(error) ?? {};
          // Its headers give two lengths, which undici does not take. They are of the body, and the status decides.
          if (head === undefined && isHead)
            head = {
              statusCode,
              durationMs: Math.round(clock.now() - connectedAt),
              said: createAnswerText({}),
            };
          end(error);
        },
      },
    );
  });
}

const maxReadMs = 1_000;
