import { setTimeout as sleep } from 'node:timers/promises';
import { createCaller } from '../support/caller.ts';

/** The reads without pause. */
export interface Readers {
  /** Answers so far. */
  answered(): number;
  /** Any status but 200. */
  faults: string[];
  stop(): Promise<void>;
}

const routes = [
  'GET /v2/orders?limit=20',
  'GET /v2/orders?status=pending&limit=5&offset=5',
  'GET /v2/products?limit=20',
  'GET /v2/stock?limit=20',
  'GET /v2/catalog',
  'GET /v2/sales-reports?from=2026-01-01&to=2026-12-31&group_by=payment_method',
  'GET /v2/events?limit=20',
];

/** Reads what every restaurant shows, one call after another. */
export function startReaders(
  target: () => Promise<string>,
  restaurants: readonly { key: string }[],
): Readers {
  const caller = createCaller();
  const faults: string[] = [];
  let answered = 0;
  let stopping = false;
  const running = Promise.all(
    restaurants.map(async ({ key }) => {
      for (let turn = 0; !stopping; turn += 1) {
        const route = routes[turn % routes.length] ?? '';
        const outcome = await caller.call(await target(), { route, key });
        answered += 1;
        if (outcome.kind !== 'answered' || outcome.status !== 200)
          faults.push(`${route}: ${JSON.stringify(outcome)}`);
        await sleep(5);
      }
    }),
  );
  return {
    answered: () => answered,
    faults,
    async stop() {
      stopping = true;
      await running;
      caller.close();
    },
  };
}
