import { expect } from 'vitest';
import { diagnose } from '../../../packages/api/src/doctor/doctor.ts';
import {
  catalogComparison,
  compareOrders,
  compareProducts,
  compareStock,
} from '../../concurrency/walk/comparisons.ts';
import { waitFor } from '../../support/wait.ts';
import type { EditedGround } from './ground.ts';
import { readAll } from './reads.ts';

/** Checks that may warn though no edit broke anything: the machine, and consumers that a person pointed elsewhere. */
const mayWarn = ['settings', 'failing endpoints', 'dead deliveries', 'disk space'];

/** Makes a check that holds everything together: reads, totals by brute force, events, doctor, the processes' logs. */
export function agreement(): (ground: EditedGround) => Promise<void> {
  const compareCatalog = catalogComparison();
  let last: string | undefined;
  return async (ground) => {
    await published(ground);
    await readAll(ground);
    for (let n = 0; n < 6; n += 1) await compareOrders(ground);
    await compareProducts(ground);
    await compareStock(ground);
    await compareCatalog(ground);
    last = await readEvents(ground, last);
    const { checks } = await diagnose(ground.restaurant.environment);
    const found = checks.filter(
      ({ name, outcome }) => outcome === 'wrong' || (outcome === 'warning' && !mayWarn.includes(name)),
    );
    expect(found, 'what doctor finds').toEqual([]);
    expect(faultsLogged(ground), 'errors that the processes logged').toEqual([]);
  };
}

/** Waits until every change is published; one that is set aside never will be. */
async function published({ sql }: EditedGround): Promise<void> {
  await waitFor('every change to be published', async () => {
    const waiting = await sql<{ error: string | null; resource: string }>(
      'select resource, error from internal.captured_changes where $1::uuid is not null order by id',
    );
    const aside = waiting.find(({ error }) => error !== null);
    if (aside !== undefined) expect(aside, 'a change was set aside').toBeUndefined();
    return waiting.length === 0;
  });
}

/** Reads the feed on from the event that was read last; the last one of all. */
async function readEvents(ground: EditedGround, after: string | undefined): Promise<string | undefined> {
  let last = after;
  for (;;) {
    const route = `GET /v2/events?limit=200${last === undefined ? '' : `&after=${last}`}`;
    const { data } = (await ground.call(route, undefined, 200)).body as { data: { id: string }[] };
    last = data.at(-1)?.id ?? last;
    if (data.length < 200) return last;
  }
}

/** The errors that the processes have logged. */
export const faultsLogged = ({ restaurant }: EditedGround): string[] =>
  restaurant
    .logged()
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line));
