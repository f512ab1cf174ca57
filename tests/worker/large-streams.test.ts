import { pageBytes, readerBytes, streamBytes } from '@comanda/db';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { defaultLiveBounds } from '../../packages/api/src/live/bounds.ts';
import { createHeld } from '../../packages/api/src/live/held.ts';
import type { News } from '../../packages/api/src/live/news.ts';
import { createReader } from '../../packages/api/src/live/reader.ts';
import { readNews } from '../../packages/api/src/live/statements.ts';
import { openOrderCursor } from '../../packages/api/src/resources/orders/export.store.ts';
import { createLargeOrders, largeOrderBytes } from '../support/large-orders.ts';
import { useWorkerKit } from './kit.ts';

const orders = 12;
const kit = useWorkerKit();
let newest: number;

beforeAll(async () => {
  await createLargeOrders(kit.database, { locationId: kit.locationId, count: orders });
  newest = (await kit.publish()).length;
});

const readerOf = (held = createHeld(), types?: string[]) =>
  createReader(
    kit.database,
    { last: newest },
    { locationId: kit.locationId, after: 0, types },
    defaultLiveBounds,
    held,
  );
const sizeOf = (news: readonly News[] = []) => news.reduce((sum, { bytes }) => sum + bytes, 0);
/** A text of the largest kind, with the text around it. */
const one = largeOrderBytes + 100_000;

test.each([undefined, ['order.created', 'order.updated']])(
  'a reader that is behind is given pieces that are bounded in bytes, and each event once (types: %s)',
  async (types) => {
    const reader = readerOf(createHeld(), types);
    const numbers: number[] = [];
    while (numbers.length < (types === undefined ? newest : orders)) {
      const news = await reader.next();
      expect(sizeOf(news)).toBeLessThanOrEqual(readerBytes + one);
      numbers.push(...(news ?? []).map(({ number }) => number));
    }
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    reader.close();
  },
);

test('readers that take nothing hold no more than a part of the process, and the next one waits until one lets go', async () => {
  const held = createHeld();
  const slow: ReturnType<typeof readerOf>[] = [];
  let all = 0;
  while (held.hasRoom(kit.locationId)) {
    const reader = readerOf(held);
    slow.push(reader);
    all += sizeOf(await reader.next());
  }
  expect(all).toBeLessThanOrEqual(streamBytes.each + one);
  const next = readerOf(held);
  expect(await next.next()).toEqual([]);
  expect(held.hasRoom('of another location')).toBe(true);
  for (const reader of slow) reader.close();
  expect((await next.next())?.length).toBeGreaterThan(0);
});

test('a reader that keeps up is behind once its events hold too much, and still gets them', async () => {
  const held = createHeld();
  const reader = createReader(
    kit.database,
    { last: newest },
    { locationId: kit.locationId, after: newest, types: undefined },
    { ...defaultLiveBounds, quietMs: 1 },
    held,
  );
  expect(await reader.next()).toEqual([]);
  const news = (number: number): News => ({
    locationId: kit.locationId,
    number,
    id: `${number}`,
    type: 'order.updated',
    body: '',
    bytes: 400_000,
  });
  for (let n = 1; n <= 10; n += 1) reader.offer(news(newest + n));
  expect(await reader.next()).toHaveLength(2);
});

test('a look for new events is bounded in bytes', async () => {
  const rows = await kit.database.run(readNews, [[kit.locationId], [0], 100]);
  const bytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  expect(bytes).toBeLessThanOrEqual(pageBytes + one);
  expect(rows.map(({ number }) => Number(number))).toEqual(rows.map((_, index) => index + 1));
});

test('an export is read in pieces that are bounded in bytes, and holds each order once', async () => {
  const day = new Date().toISOString().slice(0, 10);
  const cursor = await openOrderCursor(kit.database, kit.locationId, { from: day, to: day });
  onTestFinished(() => cursor.close());
  await cursor.begin(null, 0);
  const numbers: number[] = [];
  for (let docs = await cursor.next(); docs.length > 0; docs = await cursor.next()) {
    expect(Buffer.byteLength(docs.join())).toBeLessThanOrEqual(pageBytes + one);
    numbers.push(...docs.map((doc) => JSON.parse(doc).number));
  }
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: orders }, (_, n) => n + 1));
});
