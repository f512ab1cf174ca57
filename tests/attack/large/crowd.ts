import { createSender, type WireAnswer } from '../../fuzz/send.ts';
import { callRest } from '../../support/api.ts';
import { createKey, createLocation } from '../../support/factories.ts';
import type { WatchedApi } from '../../support/watched-api.ts';
import { isShed } from './judge.ts';
import { openSubjects, requestOf } from './subjects.ts';
import type { Trial } from './trials.ts';

/** How requests that were sent at once were answered. */
export interface Crowd {
  /** Small requests that were answered 201. */
  served: number;
  /** Requests of either kind that were answered 408. */
  late: number;
  /**
   * Requests of either kind that were answered 5xx, except for those that may be sent again, or whose connection
   * broke.
   */
  faults: number;
}

/** How many small requests are sent. */
export const smallOnes = 20;

/** Sends every trial at once, each in a location of its own, and categories of another location right behind them. */
export async function sendCrowd(api: WatchedApi, trials: readonly Trial[]): Promise<Crowd> {
  const prepared: ReturnType<typeof requestOf>[] = [];
  // One after the other: on a busy machine they would wait too long for each other's connections.
  for (const trial of trials) {
    const [subject] = await openSubjects(api, trial.target.operation, 1);
    prepared.push(subject && requestOf(trial, subject));
  }
  const locationId = await createLocation(api.app.database);
  const { key } = await createKey(api.app.database, { locationId });
  const large = prepared.flatMap((request) => {
    if (request === undefined) return [];
    const sender = createSender(api.url, 180_000);
    return sender.send(request).finally(() => sender.close());
  });
  const small = Array.from({ length: smallOnes }, (_, at) =>
    callRest(api.url, 'POST /v2/categories', {
      key,
      body: { name: `Beside ${at}`, priority: 1, visible: true },
    }),
  );
  const settled = await Promise.allSettled<Pick<WireAnswer, 'status' | 'headers'>>([...large, ...small]);
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const wrong = answers.filter((answer) => answer.status >= 500 && !isShed(answer));
  return {
    served: answers.filter(({ status }) => status === 201).length,
    late: answers.filter(({ status }) => status === 408).length,
    faults: settled.length - answers.length + wrong.length,
  };
}
