import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Operation } from '../../packages/api/src/call/operations.ts';
import { SalesGrouping } from '../../packages/api/src/resources/sales-reports/schema.ts';
import { entrancesOf } from '../contract/entrances.ts';
import { type Kitchen, openKitchen, writeIn } from '../contract/kitchen.ts';
import { operations } from '../support/documented.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { prismaOf } from '../support/prisma.ts';
import { trials } from '../support/trials.ts';
import { startWatchedApi, type WatchedApi } from '../support/watched-api.ts';
import { fillWhole, sizedBy, type WholeSize } from './whole-location.ts';

/** A tenth of the promised location in the short form. */
const part = trials(1, 10) / 10;
/** The longest stop of the event loop in ms: the promise, and of a tenth of the rows little more than the shortest that is recorded. */
const mostMs = part < 1 ? 20 : 50;

let api: WatchedApi;
let kitchen: Kitchen;
let sourceKey: string;

beforeAll(async () => {
  api = await startWatchedApi();
  kitchen = await openFilled(sizedBy(part));
  // A copy takes 10,000 categories and products at most.
  const { options } = sizedBy(part);
  const source = await openFilled({ products: 6_500 * part, categories: 3_000 * part, options, orders: 0 });
  sourceKey = source.key;
}, 600_000);
afterAll(() => api.close(), 60_000);

/** A sandbox with everything in it, whose key has no limits. */
async function openFilled(size: WholeSize): Promise<Kitchen> {
  const opened = await openEmpty();
  const { locationId, category, product, paymentMethodId } = opened;
  const { database } = api.app;
  const { id: menuId } = await prismaOf(database).menu.findFirstOrThrow({ where: { locationId } });
  const filled = { locationId, categoryId: category.id, productId: product.id, menuId, paymentMethodId };
  await fillWhole(database, filled, size);
  return opened;
}

async function openEmpty(): Promise<Kitchen> {
  const { database } = api.app;
  const locationId = await createLocation(database, { sandbox: true });
  const limits = { perMinute: 1_000_000, monthly: 100_000_000, batchJobsPerHour: 1_000_000 };
  const { key } = await createKey(database, { locationId, ...limits });
  return openKitchen(api, { at: { locationId, key } });
}

type Given = Record<string, unknown>;

/** Inputs of an operation that make it look at as much of a location as they can. */
function largestOf(operation: Operation, input: Given): Given[] {
  const shape: Record<string, z.ZodType> = operation.input.shape;
  const has = (name: string) => Object.hasOwn(shape, name);
  const large: Given = { ...input };
  if (has('limit')) large.limit = shape.limit?.safeParse(500).success ? 500 : 200;
  if (has('from') && has('to')) {
    large.from = dayBefore(19);
    large.to = dayBefore(0);
  }
  // Of another location, whose menu is larger than the one here.
  if (has('from_key')) large.from_key = sourceKey;
  delete large.seen;
  const dry = has('dry_run') ? [{ ...large, dry_run: true }] : [];
  const searched = has('search')
    ? [
        { ...large, search: 'product' },
        { ...large, search: 'zzz' },
      ]
    : [];
  const grouped = has('group_by') ? SalesGrouping.options.map((group_by) => ({ ...large, group_by })) : [];
  return [...dry, large, ...searched, ...grouped];
}

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** The lowest of up to five longest stops in ms: garbage of earlier calls and code that is not compiled yet do not count. */
async function stopOf(call: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && least > mostMs; tries += 1) {
    const began = Date.now();
    await call();
    // By then the preload has recorded the turn that gave the answer.
    await sleep(10);
    least = Math.min(least, api.longestStopMs(began));
  }
  return least;
}

/** Queries come first. Operations that remove rows come last, and the one that removes all of them at the end. */
const rank = ({ name, kind }: Operation) =>
  name === 'sandbox.reset' ? 3 : name.endsWith('.delete') ? 2 : kind === 'mutation' ? 1 : 0;

describe('no operation stops the event loop for longer when its location has more rows', {
  shuffle: false,
}, () => {
  const inTurn = operations.toSorted((one, other) => rank(one) - rank(other));
  test.each(inTurn.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      const { locationId } = kitchen;
      const { pool } = api.app.database;
      // Left by an operation before: the maker makes it again.
      await pool.query(
        `update orders set external_id = null where location_id = $1 and external_id = 'order-made'`,
        [locationId],
      );
      const input = await writeIn(kitchen, operation);
      const at = name === 'menus.copy' ? await openEmpty() : kitchen;
      for (const given of largestOf(operation, input))
        for (const { name: entrance, call } of entrancesOf(operation)) {
          const send = async () => {
            const { status } = await call(api.url, at.key, {
              ...given,
              ...('idempotencyKey' in given && { idempotencyKey: randomUUID() }),
            });
            // A write is refused where the one before it has made or removed its row. The turn is closed by the maker of settlements.
            if ((operation.kind === 'query' || given.dry_run === true) && name !== 'turns.getCurrent')
              expect({ entrance, isDone: status < 300 }).toEqual({ entrance, isDone: true });
          };
          expect({ entrance, isStopped: (await stopOf(send)) > mostMs }).toEqual({
            entrance,
            isStopped: false,
          });
        }
    },
    300_000,
  );
});
