import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareRestaurant } from '../model/compare.ts';
import { startDrive } from '../model/drive.ts';
import { untilQuiet } from '../model/service.ts';
import { createChance } from '../support/chance.ts';
import { reportFault, seedOf } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { isRefused, type Kind, kinds, manners } from './kinds.ts';
import { type Stage, setStage } from './stage.ts';
import { startNeighbours, type Visit } from './visits.ts';

// Two `npm start` on one database work under a steady load with bad neighbors, while a part of them is killed every minute. It takes
// COMANDA_MINUTES, 15 unless said. A run below ten minutes kills more often, so that each kind of kill comes once.

const minutes = Number(process.env.COMANDA_MINUTES ?? 15);
const seed = seedOf(Date.now() % 1_000_000);
const endMs = minutes * 60_000;
const killEveryMs = Math.min(60_000, endMs / kinds.length);
/** Within this time of a kill everything goes on: the promise. */
const promiseMs = 60_000;
const callers = 4;

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ restaurants: 3, callers });
}, 600_000);
afterAll(() => stage.close(), 120_000);

/** A kill, until everything went on; by `performance.now()`. */
interface Kill extends Kind {
  at: number;
  until: number;
}

test(`nothing is lost, done twice or without a reason (COMANDA_SEED=${seed})`, {
  timeout: endMs + 1_800_000,
}, async () => {
  const { restaurants, consumer, starts, database } = stage;
  const chance = createChance(seed);
  consumer.behave(manners);
  const driven = startDrive(restaurants, { callers, seed, paceMs: 1_000, jobEvery: 400 });
  const sendAway = await startNeighbours(stage, createChance(seed + 1));
  const began = performance.now();
  const kills: Kill[] = [];
  let memory = {};
  let bag: Kind[] = [];
  for (let next = killEveryMs; next <= endMs; next += killEveryMs) {
    const before = troubles();
    await sleep(Math.max(Math.min(5_000, killEveryMs / 2), began + next - performance.now()));
    expect(troubles(), `what callers met before kill ${kills.length + 1} without a reason`).toEqual(before);
    if (kills.length === 0) memory = stage.memory();
    if (bag.length === 0) bag = [...kinds];
    const [kind] = bag.splice(chance.between(0, bag.length - 1), 1);
    if (kind !== undefined) kills.push(await kill(kind, chance));
    driven.answered();
  }
  const last = stage.memory();
  const visits = await sendAway();
  await driven.stop();
  await untilQuiet(database.pool, 240_000);

  const published = { events: 0, delivered: 0, dead: 0 };
  for (const restaurant of restaurants) {
    const found = await compareRestaurant(restaurant, stage);
    for (const name of ['events', 'delivered', 'dead'] as const) published[name] += found[name];
  }
  expect(unexplainedArrivals(kills, visits), 'arrivals beyond the first').toEqual([]);
  await expectRefusedAreDead();
  const duringKill = ({ at, until }: Visit) => kills.some((each) => each.at <= until && each.until >= at);
  expect(visits.filter((visit) => visit.failed !== undefined && !duringKill(visit))).toEqual([]);
  expect(visits.length).toBeGreaterThan(0);
  const deaths = starts.reduce((sum, start) => sum + start.deaths(), 0);
  expect(deaths, 'processes that died').toBe(kills.filter(({ childDies }) => childDies).length);
  const slowest = Math.max(...kills.map(({ at, until }) => until - at));
  const orders = restaurants.reduce((sum, { model }) => sum + model.orders.length, 0);
  expect(orders).toBeGreaterThan(minutes * 60);
  reportFault(`soak of ${minutes} minutes`, {
    trials: kills.length,
    real: kills.length,
    seed,
    orders,
    ...published,
    visits: visits.length,
    'calls without a success': troubles(),
    'slowest to go on, s': Math.round(slowest / 1_000),
    'MiB before': JSON.stringify(memory),
    'MiB after': JSON.stringify(last),
  });
});

/** Calls that were refused as unavailable, or stayed without an answer. */
const troubles = () =>
  stage.restaurants.reduce((sum, { counts }) => sum + counts.unavailable + counts.unanswered, 0);

/** Waits for work that it interrupts, strikes, and waits until all goes on. */
async function kill(kind: Kind, chance: ReturnType<typeof createChance>): Promise<Kill> {
  const work = () => ({
    calls: stage.restaurants.reduce((sum, restaurant) => sum + restaurant.inFlight(), 0),
    deliveries: stage.consumer.inHand().length,
  });
  await waitFor('work to interrupt', () => kind.meets.every((what) => work()[what] > 0), {
    timeoutMs: promiseMs,
    intervalMs: 2,
  });
  const [at, met] = [performance.now(), work()];
  await kind.strike(stage, chance);
  const struck = new Date();
  await waitFor(`everything to go on after: ${kind.name}`, () => goesOn(struck), { timeoutMs: promiseMs });
  // What was asked while it was away may be answered a little later.
  const until = performance.now() + 1_000;
  await sleep(1_000);
  const seconds = ((until - at) / 1_000).toFixed(1);
  console.log(
    `${kind.name}: ${met.calls} calls and ${met.deliveries} deliveries in hand, as before after ${seconds} s`,
  );
  return { ...kind, at, until };
}

/** Whether every process is there, every API answers from the database, and something was delivered since. */
async function goesOn(since: Date): Promise<boolean> {
  const { starts, restaurants, database } = stage;
  const [{ key, locationId } = { key: '', locationId: '' }] = restaurants;
  for (const { url, child } of starts) {
    if (child('api') === 0 || child('worker') === 0) return false;
    const answer = await fetch(`${url}/v2/products?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(5_000),
    });
    await answer.text();
    if (answer.status !== 200) return false;
  }
  const { rows } = await database.pool.query(
    `select from webhook_attempts where location_id = $1 and status = 'delivered' and attempted_at > $2 limit 1`,
    [locationId, since],
  );
  return rows.length > 0;
}

/** An event comes again because it was not taken, or because a kill left open whether it was. */
function unexplainedArrivals(kills: readonly Kill[], visits: readonly Visit[]): string[] {
  const cuts = [...kills, ...visits.filter(({ cutsWork }) => cutsWork)];
  return [...stage.consumer.receipts.values()].flatMap(({ eventId, arrivals }) =>
    arrivals.flatMap(({ attempt, at }, index) => {
      const before = arrivals[index - 1];
      if (before === undefined || (attempt > before.attempt && before.status !== 204)) return [];
      // A delivery in hand had arrived within 5 s before: the consumer answers sooner.
      const isCut = cuts.some((cut) => before.at > cut.at - 5_000 && before.at < cut.until && at > cut.at);
      return isCut ? [] : [`event ${eventId}, attempt ${attempt} after ${before.attempt}`];
    }),
  );
}

/** Dead, after five attempts, is what the consumer refuses for good, and nothing else. */
async function expectRefusedAreDead(): Promise<void> {
  const { database, consumer, restaurants } = stage;
  const { rows } = await database.pool.query<{ id: string; attempts: number }>(
    `select event_id as id, attempts from webhook_deliveries where status = 'dead' and location_id = any ($1)`,
    [restaurants.map(({ locationId }) => locationId)],
  );
  const refused = [...consumer.receipts.values()].filter(({ eventId }) => isRefused(eventId));
  expect(rows.map(({ id }) => id).sort()).toEqual(refused.map(({ eventId }) => eventId).sort());
  expect(rows.filter(({ attempts }) => attempts !== 5)).toEqual([]);
}
