import { newId } from '@comanda/db';
import { beforeAll, expect, test } from 'vitest';
import { entrancesOf } from '../contract/entrances.ts';
import { inputIn, type Kitchen, openKitchen } from '../contract/kitchen.ts';
import { useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { type Neighbour, nobodys, snapshot, theirs, useNeighbour } from './neighbour.ts';
import { type Named, namedBy, textPlaces, withReference } from './references.ts';

const places = textPlaces(operations);
const cases = places
  .filter(({ field }) => namedBy(field) !== null)
  .flatMap((place) =>
    entrancesOf(place.operation).map((entrance) => ({
      ...place,
      entrance,
      name: `${entrance.name}: ${place.path}`,
    })),
  );

const api = useApi();
const neighbour = useNeighbour(api);
let before: Record<string, string>;
beforeAll(async () => {
  before = await snapshot(api, neighbour.locationId);
});

test('every place that takes an id is known to name something, or nothing', () => {
  const unknown = places.filter(({ field }) => namedBy(field) === undefined);
  expect(unknown.map(({ operation, path }) => `${operation.name}: ${path}`)).toEqual([]);
  expect(cases.length).toBeGreaterThan(60);
});

test.each(cases)(
  "a reference to what is another location's is answered like one to nothing $name",
  async ({ entrance, operation, path, field }) => {
    const named = namedBy(field) ?? 'name';
    const answerTo = async (value: string) => {
      const own = await openKitchen(api);
      const input = alone(await inputIn(own, operation), path);
      const answer = await entrance.call(api.url, own.key, {
        ...(withReference(input, path, value) as Record<string, unknown>),
      });
      expect(answer.status).toBeLessThan(500);
      return { status: answer.status, text: alike(answer.text, own, value) };
    };
    const [first, second] = await Promise.all([
      answerTo(referenceTo(neighbour, named)),
      answerTo(named === 'name' ? nobodys : newId()),
    ]);
    expect(first).toEqual(second);
    expect(await snapshot(api, neighbour.locationId)).toEqual(before);
  },
);

test('one Idempotency-Key in two locations, or of two keys of one, is two keys', async () => {
  const own = await openKitchen(api);
  const other = await openKitchen(api);
  const second = await api.make.key({ locationId: own.locationId });
  const items = [{ external_id: 'synced', name: 'Cortado', price: 9.5 }];
  const headers = { 'idempotency-key': 'the-same-key' };
  const jobs = [];
  for (const key of [own.key, other.key, second.key, own.key]) {
    const answer = await api.rest<{ data: { job_id: string } }>('POST /v2/sync/products', {
      key,
      headers,
      body: { items },
    });
    jobs.push({ id: answer.body.data.job_id, replayed: answer.headers.get('idempotency-replayed') });
  }
  expect(new Set(jobs.map(({ id }) => id)).size).toBe(3);
  expect(jobs.map(({ replayed }) => replayed)).toEqual([null, null, null, 'true']);
  expect(jobs[3]?.id).toBe(jobs[0]?.id);
});

test("the ETag of another location's catalog does not answer 304, even where both hold nothing", async () => {
  const [own, other] = [await openKitchen(api), await openKitchen(api)];
  for (const { locationId } of [own, other]) {
    await api.prisma.product.deleteMany({ where: { locationId } });
    await api.prisma.category.deleteMany({ where: { locationId } });
  }
  const read = (key: string, etag?: string) =>
    api.rest('GET /v2/catalog', { key, ...(etag && { headers: { 'if-none-match': etag } }) });
  const etag = (await read(other.key)).headers.get('etag') ?? '';
  expect((await read(other.key, etag)).status).toBe(304);
  const answer = await read(own.key, etag);
  expect(answer.status).toBe(200);
  expect(answer.text).not.toContain(other.locationId);
});

function referenceTo(
  { product, itemId, subselectionId, category, paymentMethodId, orderId, eventId, made }: Neighbour,
  named: Named,
): string {
  const values = {
    product: product.id,
    item: itemId,
    subselection: subselectionId,
    category: category.id,
    paymentMethod: paymentMethodId,
    order: orderId,
    event: eventId,
    name: theirs,
  };
  return named in values
    ? values[named as keyof typeof values]
    : (made.get(named.slice('made of '.length))?.id ?? '');
}

/** The input without the sibling that names the same thing, where only one may. */
function alone(input: Record<string, unknown>, path: string): Record<string, unknown> {
  const { items } = input;
  const field = path.split('.').at(-1) ?? '';
  const others = ['product_id', 'external_id', 'sku'].filter((name) => name !== field);
  if (
    !path.startsWith('items[].') ||
    !Array.isArray(items) ||
    'payment_method_id' in input ||
    'idempotencyKey' in input
  )
    return input;
  return { ...input, items: items.map((item) => without(item as Record<string, unknown>, others)) };
}

const without = (item: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));

/** The answer with what differs from kitchen to kitchen, and the reference itself, blotted out. */
function alike(text: string, { locationId }: Kitchen, value: string): string {
  return text
    .replaceAll(value, '<reference>')
    .replaceAll(locationId, '<location>')
    .replace(/sku-[0-9a-f-]{36}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replace(/<id>-[\w-]{43}/g, '<tag>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, '<moment>');
}
