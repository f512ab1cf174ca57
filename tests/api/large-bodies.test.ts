import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { largeAtFirst, largeFrom } from '../../packages/api/src/bodies/bounds.ts';
import { bounds } from '../../packages/api/src/capacity/bounds.ts';
import { CatalogSyncResult } from '../../packages/api/src/resources/catalog/sync.schema.ts';
import { dataOf, refusalOf } from '../support/answers.ts';
import { useApi } from '../support/api.ts';

const api = useApi();

/** A body of catalog sync with so many products; their descriptions make it large. */
function tree(count: number, characters: number) {
  const products = Array.from({ length: count }, (_, index) => ({
    external_id: `p${index}`,
    name: `Product ${index}`,
    description: 'd'.repeat(characters),
    price: 1.5,
    image: 'unknown',
  }));
  return { categories: [{ external_id: 'c', name: 'Category', products }] };
}
const small = tree(30, 10);
const large = tree(30, 9_500);

const newKey = async (key: object = {}) => (await api.place({ key })).token;

const sync = async (body: unknown, headers: Record<string, string> = {}, key?: string) =>
  api.rest('POST /v2/catalog/sync', { key: key ?? (await newKey()), body, headers });

describe('a call with a large body', () => {
  it('is large here', () => {
    expect(JSON.stringify(small).length).toBeLessThan(largeFrom);
    expect(JSON.stringify(large).length).toBeGreaterThan(largeAtFirst);
  });

  it('is answered as one with a small body, by its headers too', async () => {
    const answers = [await sync(small), await sync(large)];
    for (const answer of answers) {
      expect(dataOf(answer, 200, CatalogSyncResult)).toMatchObject({ created: 31 });
      expect(answer.headers.get('x-ignored-fields')).toBe('categories%5B%5D.products%5B%5D.image');
      expect(answer.headers.get('x-ratelimit-batch-remaining')).toBe('29');
    }
    const [one, other] = answers.map(({ headers }) => [...headers.keys()].sort());
    expect(other).toEqual(one);
  });

  it('is refused as one with a small body: for unknown names, values, and more items than the key may send', async () => {
    const strict = { prefer: 'handling=strict' };
    const poor = await newKey({ maxItemsPerBatch: 5 });
    for (const call of [
      (body: object) => sync(body, strict),
      (body: object) => sync({ ...body, mode: 'merge' }),
      (body: object) => sync(body, {}, poor),
    ]) {
      const [of, less] = [await call(large), await call(small)];
      expect(refusalOf(of, 422, 'validation_error')).toBe(refusalOf(less, 422, 'validation_error'));
    }
    expect((await sync(small, {}, poor)).headers.get('x-ratelimit-batch-remaining')).toBe('30');
  });

  it('is repeated with its idempotency key, and refused with another body', async () => {
    const key = await newKey();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await sync(large, headers, key);
    const second = await sync(large, headers, key);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect((await sync(small, headers, key)).status).toBe(409);
  });

  it('is answered over tRPC, with its key in the body', async () => {
    const client = api.client(await newKey());
    const idempotencyKey = randomUUID();
    const first = await client.catalog.sync.mutate({ ...large, idempotencyKey });
    expect(first).toMatchObject({ created: 31 });
    expect(await client.catalog.sync.mutate({ ...large, idempotencyKey })).toEqual(first);
    await expect(client.catalog.sync.mutate({ ...large, mode: 'merge' as never })).rejects.toMatchObject({
      data: { code: 'validation_error', fields: [{ path: 'mode' }] },
    });
  });

  it('waits its turn when many come at once, and the rest is 503 with Retry-After before it counts', async () => {
    const key = await newKey({ batchJobsPerHour: 30 });
    const body = JSON.stringify({ ...tree(400, 9_000), dry_run: true });
    const atOnce = Math.ceil(bounds.bodies.location / body.length) + 3;
    const answers = await Promise.all(Array.from({ length: atOnce }, () => sync(body, {}, key)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 503]));
    const busy = answers.find(({ status }) => status === 503);
    expect(busy?.headers.get('x-error-reason')).toBe('location_busy');
    expect(busy?.headers.get('retry-after')).toBe('5');
    expect((await sync(small, {}, await newKey())).status).toBe(200);
  });
});
