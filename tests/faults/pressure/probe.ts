import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Call, createCaller } from '../support/caller.ts';

/** One answer as a caller saw it. */
export interface Seen {
  route: string;
  status: number;
  ms: number;
  retryAfterSeconds?: number;
  text: string;
}

/** Callers who ask again and again. */
export interface Probe {
  /** Their answers so far. */
  seen: readonly Seen[];
  /** Calls that stayed without an answer, with the reason. */
  unanswered: readonly string[];
  /** Ends them once every call is answered. */
  stop(): Promise<void>;
}

/** Starts `lanes` callers; each makes the next of the calls as soon as it was answered, with a short rest between. */
export function startProbe(baseUrl: string, lanes: number, nextCall: (turn: number) => Call): Probe {
  const caller = createCaller();
  const seen: Seen[] = [];
  const unanswered: string[] = [];
  let turn = 0;
  let stopping = false;
  const ask = async () => {
    while (!stopping) {
      const call = nextCall(turn++);
      const began = performance.now();
      const outcome = await caller.call(baseUrl, call);
      const ms = performance.now() - began;
      if (outcome.kind === 'answered') {
        const { status, text, retryAfterSeconds } = outcome;
        seen.push({
          route: call.route,
          status,
          ms,
          text,
          ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        });
      } else
        unanswered.push(`${call.route}: ${outcome.kind === 'unknown' ? outcome.reason : 'no connection'}`);
      await sleep(20);
    }
  };
  const running = Promise.all(Array.from({ length: lanes }, ask));
  return {
    seen,
    unanswered,
    async stop() {
      stopping = true;
      await running;
      caller.close();
    },
  };
}

/** The slowest of the answers, in whole milliseconds. */
export const slowest = (seen: readonly Seen[]): number =>
  Math.round(Math.max(0, ...seen.map(({ ms }) => ms)));

/** The answer in the middle, in whole milliseconds. */
export function median(seen: readonly Seen[]): number {
  const sorted = seen.map(({ ms }) => ms).sort((a, b) => a - b);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}

/** Answers that are neither a success nor a 503 that says when to come again, as lines; there must be none. */
export function unclear(seen: readonly Seen[]): string[] {
  return seen
    .filter(
      ({ status, retryAfterSeconds }) => status >= 400 && !(status === 503 && (retryAfterSeconds ?? 0) >= 1),
    )
    .map(({ route, status, text }) => `${route}: ${status} ${text}`);
}

/** Answers that are no success, as lines. */
export const refusals = (seen: readonly Seen[]): string[] =>
  seen.filter(({ status }) => status >= 400).map(({ route, status, text }) => `${route}: ${status} ${text}`);

/** Health answered every time: alive always, ready more often than not, so that a slow machine is no fault. */
export function requireHealth(seen: readonly Seen[]): void {
  const failed = (route: string) =>
    seen.filter((one) => one.route.endsWith(route) && one.status !== 200).length;
  expect(failed('/healthz')).toBe(0);
  expect(seen.length).toBeGreaterThan(1);
  expect(failed('/readyz')).toBeLessThan(seen.length / 4);
}
