import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@comanda/db';
import type { Chance } from '../support/chance.ts';
import type { Neighbour } from './neighbours/neighbour.ts';
import { neighbours } from './neighbours/neighbours.ts';
import { makeShop } from './neighbours/shop.ts';
import type { Stage } from './stage.ts';

/** A bad neighbor that was there for a while; by `performance.now()`. */
export interface Visit {
  name: string;
  at: number;
  until: number;
  /** Whether something may have been cut meanwhile that was in hand. */
  cutsWork: boolean;
  /** The failure that ended it early; a kill may cause one, nothing else. */
  failed?: string;
}

/** Each stays so long, and so long none is there. */
const stayMs = 15_000;
const restMs = 10_000;
/** After a worker thawed, what it had in hand may come once more. */
const thawMs = 1_000;

/**
 * Lets every kind of bad neighbor come in turn, at two locations of their own, one after the other, until the answer is
 * called, which returns all visits. Their work does not concern the shops.
 */
export async function startNeighbours(stage: Stage, chance: Chance): Promise<() => Promise<Visit[]>> {
  const databaseUrl = stage.superuserUrl;
  const database = openDatabase({ url: databaseUrl, poolSize: 4, applicationName: 'comanda.test' });
  const locations = [await makeShop(database, 200), await makeShop(database, 200)] as const;
  const hanging = createServer(() => {}).listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  const hangUrl = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
  const stopping = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {});
  const visits: Visit[] = [];

  const visit = async (neighbour: Neighbour) => {
    const { id, name } = neighbour;
    const { url, child } = chance.pick(stage.starts);
    const at = performance.now();
    const failed = await stay(
      neighbour,
      url,
      [child('worker')].filter((pid) => pid !== 0),
    );
    const until = performance.now() + thawMs;
    visits.push({
      name,
      at,
      until,
      cutsWork: id === 'frozen-worker',
      ...(failed !== undefined && { failed }),
    });
  };
  /** Of a visit that was cut short endpoints stay, hang on, and hear of all that the next ones do. */
  const clearAway = () =>
    database.pool.query('delete from webhook_endpoints where location_id = any ($1)', [
      locations.map(({ locationId }) => locationId),
    ]);
  const stay = async (neighbour: Neighbour, apiUrl: string, workers: number[]) => {
    try {
      await clearAway();
      const letGo = async () => hanging.closeAllConnections();
      const scene = { database, databaseUrl, apiUrl, workers, locations, hangUrl, letGo };
      const begin = await neighbour.prepare(scene, neighbour.size ?? 0);
      const end = await begin();
      await pause(stayMs);
      await end();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const all = (async () => {
    let bag: Neighbour[] = [];
    while (!stopping.signal.aborted) {
      if (bag.length === 0) bag = [...neighbours];
      const [next] = bag.splice(chance.between(0, bag.length - 1), 1);
      if (next !== undefined) await visit(next);
      await pause(restMs);
    }
  })();
  return async () => {
    stopping.abort();
    await all;
    // The verdict would wait for the rest of an interrupted one.
    await clearAway();
    await database.close();
    hanging.closeAllConnections();
    hanging.close();
    return visits;
  };
}
