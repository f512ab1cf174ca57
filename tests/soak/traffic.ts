import type { Call, Outcome } from '../faults/support/caller.ts';

/** A call that was not answered as it should be: refused connection, no answer, or a status of 500 and above. */
export interface Trouble {
  what: string;
  url: string;
  route: string;
  /** In ms since the epoch. */
  askedAt: number;
  heardAt: number;
}

/** The calls of the load, as seen on their way. */
export interface Traffic {
  /** The addresses by turns. */
  target(): Promise<string>;
  observe(baseUrl: string, call: Call): (outcome: Outcome) => void;
  /** Calls that are made and not answered, of one address or of all. */
  inFlight(url?: string): number;
  /** Calls that were answered with a status below 500. */
  answered(): number;
  troubles: readonly Trouble[];
  /** Resolves to the time of the first good answer to a call that is made from now on. */
  nextSuccess(): Promise<number>;
}

/** Watches calls to the addresses. */
export function watchTraffic(urls: readonly string[]): Traffic {
  const troubles: Trouble[] = [];
  const open = new Map<string, number>();
  let waiting: { since: number; resolve(at: number): void }[] = [];
  let turn = 0;
  let answered = 0;

  return {
    troubles,
    async target() {
      return urls[turn++ % urls.length] ?? '';
    },
    observe(url, { route }) {
      const askedAt = Date.now();
      const asked = performance.now();
      open.set(url, (open.get(url) ?? 0) + 1);
      return (outcome) => {
        open.set(url, (open.get(url) ?? 0) - 1);
        const what = troubleOf(outcome);
        if (what !== undefined) {
          troubles.push({
            what,
            url,
            route: route.replace(/[0-9a-f-]{36}/, '{id}'),
            askedAt,
            heardAt: Date.now(),
          });
          return;
        }
        answered += 1;
        for (const { since, resolve } of waiting) if (asked >= since) resolve(Date.now());
        waiting = waiting.filter(({ since }) => asked < since);
      };
    },
    inFlight: (url) =>
      url === undefined ? [...open.values()].reduce((sum, count) => sum + count, 0) : (open.get(url) ?? 0),
    answered: () => answered,
    nextSuccess: () => new Promise((resolve) => waiting.push({ since: performance.now(), resolve })),
  };
}

function troubleOf(outcome: Outcome): string | undefined {
  if (outcome.kind === 'unsent') return 'connection refused';
  if (outcome.kind === 'unknown') return `no answer (${outcome.reason})`;
  return outcome.status >= 500 ? String(outcome.status) : undefined;
}
