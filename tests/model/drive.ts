import { setTimeout as sleep } from 'node:timers/promises';
import { createChance } from '../support/chance.ts';
import { json } from '../support/money.ts';
import { act, type Habits } from './acts.ts';
import type { Restaurant } from './restaurant.ts';

/** Who calls, and how. */
export interface DriveOptions extends Habits {
  callers: number;
  seed: number;
  /** Time between two acts of a caller. */
  paceMs?: number;
}

/** Callers at work. */
export interface Drive {
  /** Calls that were answered. @throws what an act threw. */
  answered(): number;
  /** Ends it when every act is done. @throws what an act threw. */
  stop(): Promise<void>;
}

/** So many callers of each restaurant do so many acts, one after the other, all at once. */
export async function drive(
  restaurants: readonly Restaurant[],
  options: DriveOptions & { acts: number },
): Promise<void> {
  await Promise.all(work(restaurants, options, (done) => done < options.acts));
}

/** The same without an end. */
export function startDrive(restaurants: readonly Restaurant[], options: DriveOptions): Drive {
  let stopping = false;
  let fault: Error | undefined;
  const running = Promise.all(work(restaurants, options, () => !stopping));
  running.catch((error: Error) => {
    fault = error;
  });
  return {
    answered() {
      if (fault !== undefined) throw fault;
      return restaurants.reduce((sum, { counts }) => sum + counts.answered, 0);
    },
    async stop() {
      stopping = true;
      await running;
    },
  };
}

function work(
  restaurants: readonly Restaurant[],
  { callers, seed, paceMs = 0, ...habits }: DriveOptions,
  goesOn: (done: number) => boolean,
): Promise<void>[] {
  return restaurants.flatMap((restaurant, at) =>
    Array.from({ length: callers }, async (_, number) => {
      const chance = createChance((seed * 10 + at) * 1_000 + number);
      for (let done = 0; goesOn(done); done++) {
        await act({ ...restaurant, ...habits, number, chance });
        if (paceMs > 0) await sleep(paceMs);
      }
    }),
  );
}

/** Two at once open a turn, or close it and count the drawer: one succeeds. */
export async function turnOver({ ask, data, model }: Restaurant, how: 'open' | 'close'): Promise<void> {
  const drawer = { countedCents: 1_234_56n, startingCents: 100_05n };
  const counted = { counted: json(drawer.countedCents), starting_cash: json(drawer.startingCents) };
  const body = how === 'close' ? counted : {};
  const replies = await Promise.all([1, 2].map(() => ask(`POST /trpc/turns.${how}`, body)));
  const won = replies.filter(({ status }) => status === 200);
  if (won.length !== 1 || replies.some(({ status }) => status !== 200 && status !== 409))
    throw new Error(`turns.${how}: ${replies.map(({ text }) => text).join('\n')}`);
  if (how === 'open') return model.open(JSON.parse(won[0]?.text ?? '').result.data.id);
  const [settlement] = await data<{ id: string }[]>('GET /v2/settlements');
  model.close(settlement?.id ?? '', drawer);
}
