import { setTimeout as sleep } from 'node:timers/promises';
import { createSender, type WireAnswer, type WireRequest } from '../../fuzz/send.ts';
import type { WatchedApi } from '../../support/watched-api.ts';

/** Effects of one request on the process that served it. */
export interface Seen {
  answer: WireAnswer;
  /** The longest stop of the event loop, in ms of the main thread's CPU time. */
  stopMs: number;
  /** Growth of the resident memory at its peak, in MiB. */
  grewMiB: number;
  /** The slowest answer of `/healthz` on a connection of its own, in ms. */
  healthMs: number;
}

/** Sends requests while another connection asks for `/healthz`, and reports what they did to the process. */
export function createObserver(api: WatchedApi) {
  // A large batch takes a while on a busy machine.
  const sender = createSender(api.url, 180_000);
  const health = createSender(api.url);

  async function askHealth(): Promise<number> {
    const { status, tookMs } = await health.send({ method: 'GET', target: '/healthz', headers: [] });
    if (status !== 200) throw new Error(`/healthz answered ${status}`);
    return tookMs;
  }

  return {
    /** @throws {Error} when a connection breaks, or `/healthz` is answered otherwise than by 200. */
    async send(request: WireRequest): Promise<Seen> {
      const beforeMiB = api.forgetPeak();
      const began = Date.now();
      let isAnswered = false;
      const asked = sender.send(request).finally(() => {
        isAnswered = true;
      });
      const polled = (async () => {
        let slowest = 0;
        while (!isAnswered) {
          slowest = Math.max(slowest, await askHealth());
          await sleep(10);
        }
        // Once more after the answer: by then the preload has recorded the turn that gave it.
        return Math.max(slowest, await askHealth());
      })();
      const [answer, healthMs] = await Promise.allSettled([asked, polled]);
      if (answer.status === 'rejected') throw answer.reason;
      if (healthMs.status === 'rejected') throw healthMs.reason;
      return {
        answer: answer.value,
        stopMs: api.longestStopMs(began),
        grewMiB: api.peakMiB() - beforeMiB,
        healthMs: healthMs.value,
      };
    },
    close() {
      sender.close();
      health.close();
    },
  };
}
