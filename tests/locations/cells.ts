import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createKey, createLocation } from '../support/factories.ts';
import { createOrderKitchen, type OrderKitchen, orderBody } from '../support/orders.ts';
import { prismaOf } from '../support/prisma.ts';
import { roleUrl } from '../support/roles.ts';
import { encryptionKey, type Place } from './moving.ts';

/** A location with a key and a kitchen, and how the map leads its callers. */
export interface Restaurant {
  id: string;
  code: string;
  key: string;
  kitchen: OrderKitchen;
}

/** Two cells with their file, and the map that proxies have loaded. */
export interface Cells {
  file: string;
  map: string;
  /** The options of each move between them. */
  options: readonly string[];
  /** The cell that a proxy leads callers of the location to. */
  of(restaurant: Restaurant): Place;
}

/** The cells `north`, where every location begins, and `south`, as files of a folder. */
export function cellsOf(folder: string, north: Place, south: Place): Cells {
  const [file, map] = [join(folder, 'cells.json'), join(folder, 'locations.map')];
  const entry = (name: string, { api }: Place) => ({
    name,
    origin: api.url,
    default: name === 'north',
    database_url: api.databaseUrl,
    database_owner_url: roleUrl(api.databaseUrl, 'owner'),
    encryption_key: encryptionKey,
  });
  writeFileSync(file, JSON.stringify({ cells: [entry('north', north), entry('south', south)] }));
  return {
    file,
    map,
    options: ['--cells', file, '--map', map, '--reload', 'true'],
    of: ({ code }) =>
      existsSync(map) && readFileSync(map, 'utf8').match(`\\b${code}\\b.*\\bsouth\\b`) !== null
        ? south
        : north,
  };
}

/** Makes a restaurant in a cell. */
export async function openRestaurant(place: Place, name: string): Promise<Restaurant> {
  const { app } = place.api;
  const id = await createLocation(app.database, { name });
  const { key } = await createKey(app.database, { locationId: id });
  const { code } = await prismaOf(app.database).location.findUniqueOrThrow({ where: { id } });
  return { id, code, key, kitchen: await createOrderKitchen(place.api, id) };
}

/** Guests that place orders one after the other until stopped, and read; a call refused with 503 is sent again with its key. */
export interface Guests {
  /** Ids of the orders that were acknowledged. */
  acknowledged: string[];
  /** How often each reason came with a 503 and `Retry-After`. */
  reasons: Record<string, number>;
  /** Any other answer. */
  faults: string[];
  /** Reads that were answered. */
  reads: number;
  stop(): Promise<void>;
}

/** Starts guests of a restaurant; `cellOf` is called for each request. */
export function invite(restaurant: Restaurant, cellOf: () => Place): Guests {
  const guests = {
    acknowledged: [] as string[],
    reasons: {} as Record<string, number>,
    faults: [] as string[],
    reads: 0,
  };
  let open = true;
  const send = async (path: string, init: RequestInit): Promise<Response | undefined> => {
    const { url } = cellOf().api;
    const answer = await fetch(url + path, {
      ...init,
      headers: {
        authorization: `Bearer ${restaurant.key}`,
        'content-type': 'application/json',
        ...init.headers,
      },
    });
    if (answer.ok) return answer;
    const reason = answer.headers.get('x-error-reason') ?? '';
    const again = Number(answer.headers.get('retry-after'));
    if (answer.status === 503 && again > 0) guests.reasons[reason] = (guests.reasons[reason] ?? 0) + 1;
    else guests.faults.push(`${path} ${answer.status} ${await answer.text()}`);
    await answer.body?.cancel().catch(() => {});
    // Less patient than Retry-After asks, so that nothing is missed.
    await setTimeout(100);
    return undefined;
  };
  const ordering = async () => {
    while (open) {
      const body = JSON.stringify(orderBody(restaurant.kitchen));
      const headers = { 'idempotency-key': randomUUID() };
      for (let done = false; !done && guests.faults.length < 20; ) {
        const answer = await send('/v2/orders', { method: 'POST', body, headers });
        if (answer === undefined) continue;
        guests.acknowledged.push(((await answer.json()) as { data: { id: string } }).data.id);
        done = true;
      }
      await setTimeout(20);
    }
  };
  const reading = async () => {
    while (open) {
      const answer = await send('/v2/orders?limit=5', {});
      if (answer !== undefined) guests.reads += 1;
      await answer?.body?.cancel();
      await setTimeout(50);
    }
  };
  const all = Promise.all([ordering(), ordering(), reading()]);
  return Object.assign(guests, {
    async stop() {
      open = false;
      await all;
    },
  });
}
