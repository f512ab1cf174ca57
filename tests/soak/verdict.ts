import { compareRestaurant, type Published } from '../model/compare.ts';
import { explainRepeats, explainTroubles, type Repeats, type TroubleRow } from './explain.ts';
import type { Kill } from './kill.ts';
import { isRefused } from './manners.ts';
import { cutsWork, unexplainedVisits, type Visit } from './neighbours.ts';
import type { Stage } from './stage.ts';

/** The verdict at the end. The promise holds when there are no complaints. */
export interface Verdict {
  orders: number;
  published: Published;
  /** Arrivals at the consumer, and those beyond the first of an event by their reason. */
  arrivals: number;
  redelivered: Repeats;
  /** The callers' failures, by kind, and whether a kill explains them. */
  troubles: TroubleRow[];
  kills: { total: number; real: number };
  complaints: string[];
}

/** So many of the kills must have met work under way. */
const realShare = 0.8;

/** Compares every restaurant with its model, and explains what callers and the consumer met. For when all is quiet. */
export async function judge(
  stage: Stage,
  kills: readonly Kill[],
  visits: readonly Visit[],
  plannedDeaths: number,
): Promise<Verdict> {
  const { databaseUrl, restaurants, journal, traffic, runs } = stage;
  journal.read();
  const published: Published = { events: 0, delivered: 0, dead: 0, waiting: 0, repeats: 0 };
  const differences: string[] = [];
  for (const restaurant of restaurants)
    try {
      const found = await compareRestaurant(restaurant, { databaseUrl, consumer: journal });
      for (const name of Object.keys(published) as (keyof Published)[]) published[name] += found[name];
    } catch (error) {
      differences.push((error as Error).message);
    }
  const redelivered = explainRepeats(journal.receipts.values(), [...kills, ...visits.filter(cutsWork)]);
  const troubles = explainTroubles(traffic.troubles, kills);
  const real = kills.filter((kill) => kill.real).length;
  const died = runs.reduce((sum, run) => sum + run.deaths(), 0);
  const faults = {
    'arrivals have no reason': redelivered.unexplained,
    'troubles of callers have no reason': troubles.reduce((sum, { unexplained }) => sum + unexplained, 0),
    'processes died by themselves': died - plannedDeaths,
    'kills met no work, too many': real < Math.floor(kills.length * realShare) ? kills.length - real : 0,
    'kills were there in all, so nothing is proven': kills.length === 0 ? 0.1 : 0,
  };
  return {
    ...{ published, arrivals: journal.arrivals(), redelivered, troubles },
    orders: restaurants.reduce((sum, { model }) => sum + model.orders.length, 0),
    kills: { total: kills.length, real },
    complaints: [
      ...differences,
      ...(await strangeDeaths(stage)),
      ...kills.flatMap(({ complaints }) => complaints),
      ...unexplainedVisits(visits, kills),
      ...Object.entries(faults).flatMap(([what, count]) =>
        count === 0 ? [] : `${Math.floor(count)} ${what}`,
      ),
    ],
  };
}

/** Dead is what the consumer refuses for good, and nothing else. */
async function strangeDeaths({ database, journal, restaurants }: Stage): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string; attempts: number }>(
    `select event_id as id, attempts from webhook_deliveries where status = 'dead' and location_id = any ($1)`,
    [restaurants.map(({ locationId }) => locationId)],
  );
  const dead = new Map(rows.map(({ id, attempts }) => [id, attempts]));
  const refused = [...journal.receipts.values()].filter(
    ({ eventId, arrivals }) => isRefused(eventId) && arrivals.at(-1)?.status === 500,
  );
  return [
    ...rows.filter(({ id }) => !isRefused(id)).map(({ id }) => `event ${id} is dead, and was never refused`),
    ...rows.filter(({ attempts }) => attempts !== 5).map(({ id }) => `event ${id} is dead, not after five`),
    ...refused
      .filter(({ eventId }) => !dead.has(eventId))
      .map(({ eventId }) => `event ${eventId} was refused every time, and is not dead`),
  ];
}
