import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, callRest } from '../../support/api.ts';

/** One answer as a caller saw it; by `performance.now()`. */
export interface Seen {
  what: 'api' | 'healthz' | 'readyz';
  /** Undefined when the connection died without an answer. */
  status: number | undefined;
  askedAt: number;
  tookMs: number;
  answer: Pick<Answer, 'headers' | 'body'> | undefined;
}

/** Asks an API the same again and again, and keeps the answers. */
export interface Watcher {
  seen: readonly Seen[];
  stop(): Promise<void>;
}

/** Watches a read, both health addresses, each on a line of its own, several askers to a line. */
export function watchApi(apiUrl: string, key: string): Watcher {
  const seen: Seen[] = [];
  let stopping = false;
  const routes = { api: '/v2/products?limit=1', healthz: '/healthz', readyz: '/readyz' } as const;
  const ask = async (what: Seen['what']) => {
    while (!stopping) {
      const askedAt = performance.now();
      const answer = await callRest(apiUrl, `GET ${routes[what]}`, { key }).catch((error: unknown) => {
        if (error instanceof TypeError) return undefined;
        throw error;
      });
      const tookMs = performance.now() - askedAt;
      seen.push({ what, status: answer?.status, askedAt, tookMs, answer });
      await sleep(25);
    }
  };
  const running = Promise.all((['api', 'api', 'api', 'healthz', 'readyz'] as const).map(ask));
  running.catch(() => {});
  return {
    seen,
    async stop() {
      stopping = true;
      await running;
    },
  };
}
