import type { Database } from '@comanda/db';
import type { MadeAttempt } from './attempt.ts';
import type { EndpointRef } from './endpoint-ref.ts';
import { recordAttemptsOfMany } from './record.statements.ts';
import { type RecordOptions, record, valuesOf } from './record.ts';

/** Records the attempts of all endpoints of this process. */
export interface Recorder {
  /**
   * Records attempts of one endpoint, together with those of others that end within some milliseconds. Resolves to whether all of
   * them counted.
   *
   * @throws what `record` throws.
   */
  record(endpoint: EndpointRef, made: readonly MadeAttempt[]): Promise<boolean>;
}

/** Those whose attempts end within so long share a statement: webhooks of one round of the relay are answered at about one time. */
const togetherMs = 20;
/** As many attempts of one endpoint share the cost among themselves. */
const enoughAlone = 20;
/** Attempts in one statement. */
const mostTogether = 200;

interface Waiting {
  endpoint: EndpointRef;
  made: readonly MadeAttempt[];
  resolve(whole: boolean): void;
  reject(error: unknown): void;
}

/** Starts with nothing to record. */
export function createRecorder(database: Database, options: RecordOptions): Recorder {
  const { clock } = options;
  let waiting: Waiting[] = [];
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  const alone = ({ endpoint, made, resolve, reject }: Waiting) => {
    record(database, endpoint, made, options).then(resolve, reject);
  };

  const recordTogether = async (all: readonly Waiting[]) => {
    const rows = all.flatMap(({ endpoint, made }) => made.map((one) => ({ endpoint, one })));
    let ids = new Set<string>();
    try {
      const recorded = await database.run(recordAttemptsOfMany, [
        ...valuesOf(
          rows.map(({ one }) => one),
          options,
        ),
        rows.map(({ endpoint }) => endpoint.locationId),
        rows.map(({ endpoint }) => endpoint.endpointId),
      ]);
      ids = new Set(recorded.map(({ id }) => id));
    } catch {
      // One of them is at fault, or the database: each endpoint then waits and tries by itself.
    }
    for (const one of all) {
      const left = one.made.filter(({ deliveryId }) => !ids.has(deliveryId));
      if (left.length === 0) one.resolve(true);
      else alone({ ...one, made: left });
    }
  };

  const flush = () => {
    clock.clearTimeout(timer);
    timer = undefined;
    const all = waiting;
    [waiting, count] = [[], 0];
    const [first] = all;
    if (first !== undefined && all.length === 1) alone(first);
    else void recordTogether(all);
  };

  return {
    record: (endpoint, made) =>
      new Promise((resolve, reject) => {
        const one = { endpoint, made, resolve, reject };
        if (made.length >= enoughAlone) return alone(one);
        waiting.push(one);
        count += made.length;
        timer ??= clock.setTimeout(flush, togetherMs);
        if (count >= mostTogether) flush();
      }),
  };
}
