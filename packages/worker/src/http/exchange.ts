import type { Agent, Dispatcher } from 'undici';
import { type AnswerText, createAnswerText } from './answer.ts';

/** How a consumer answered. */
export interface Answer {
  statusCode: number;
  /** The first KiB of what it said; absent when it said nothing, or compressed it. */
  text?: string;
  /** Milliseconds until the head of the answer. */
  durationMs: number;
}

/** What is sent; `signal` gives it up. */
export interface Exchange {
  headers: Record<string, string>;
  body: string;
  signal?: AbortSignal | undefined;
}

/** No head of an answer came within the limit. */
export class LateError extends Error {
  override name = 'LateError';
}

/**
 * Posts once and reads the answer: its head within `timeoutMs`, lookup and connection included, then the body
 * best-effort, for 1 s at most, within the limit, and 64 KiB. A connection whose answer was not read to its
 * end is closed. It speaks undici's dispatch itself: a stream and an abort signal for each request cost more
 * than the request.
 *
 * @throws {LateError} when the limit is reached before the head; what undici says; the reason of `signal`.
 */
export function exchange(
  agent: Agent,
  url: URL,
  { headers, body, signal }: Exchange,
  timeoutMs: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let controller: Dispatcher.DispatchController | undefined;
    let head: { statusCode: number; durationMs: number; said: AnswerText } | undefined;
    let over = false;
    /** Why it was given up while it waited for its connection. */
    let refused: Error | undefined;

    const end = (reason?: Error) => {
      if (over) return;
      over = true;
      clearTimeout(timer);
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
    let timer = setTimeout(() => hangUp(new LateError()), timeoutMs);
    signal?.addEventListener('abort', giveUp, { once: true });

    agent.dispatch(
      { origin: url.origin, path: `${url.pathname}${url.search}`, method: 'POST', headers, body },
      {
        onRequestStart(started) {
          controller = started;
          if (refused !== undefined) started.abort(refused);
        },
        onResponseStart(_, statusCode, answered) {
          if (statusCode < 200) return;
          const durationMs = Math.round(performance.now() - startedAt);
          head = { statusCode, durationMs, said: createAnswerText(answered) };
          clearTimeout(timer);
          const restMs = Math.max(0, Math.min(timeoutMs - durationMs, MAX_READ_MS));
          timer = setTimeout(() => hangUp(new LateError()), restMs);
        },
        onResponseData(_, piece) {
          if (head?.said.take(piece) === false) hangUp(new Error('enough was read'));
        },
        onResponseEnd: () => end(),
        onResponseError: (_, error) => end(error),
      },
    );
  });
}

const MAX_READ_MS = 1_000;
