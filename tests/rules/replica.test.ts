import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleOf } from '../../packages/api/src/documents/examples.ts';
import { unsuitable } from '../../packages/api/src/replica/suitability.ts';
import { changes } from '../../packages/api/src/resources/changes/schema.ts';
import { trpcEntrance } from '../contract/entrances.ts';
import { inputIn, openKitchen } from '../contract/kitchen.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { readFromReplica, replicaReads } from '../support/replica.ts';

const primary = { standby: false, cluster: '7', database: '5', timeline: '00000002', since: '1' };

it('a standby of the same database on the same timeline may answer for it', () => {
  expect(unsuitable({ ...primary, standby: true }, primary)).toBeUndefined();
});

it.each([
  ['the primary itself, or one that was promoted', {}, 'no standby'],
  ['a copy of another server', { standby: true, cluster: '8' }, 'another server'],
  ['another database', { standby: true, database: '6' }, 'another database'],
  ['one that follows the primary of before', { standby: true, timeline: '00000001' }, 'timeline 00000001'],
])('%s may not', (_case, difference, reason) => {
  expect(unsuitable({ ...primary, ...difference }, primary)).toContain(reason);
});

describe('a replica may answer the one read of every list, the catalog, the export and the reports, and of nothing else', () => {
  let api: TestApi;
  beforeAll(async () => {
    // Nothing answers there: the reads are counted all the same, and the primary has them.
    api = await startTestApi({ databaseReplicaUrl: 'postgresql://nobody@127.0.0.1:1/nothing' });
  });
  afterAll(() => api.close());

  it.each(operations)('$name', async (operation) => {
    const kitchen = await openKitchen(api);
    const call = async (input: Record<string, unknown>) => {
      const before = await countReads(api);
      const { status } = await trpcEntrance(operation).call(api.url, kitchen.key, input);
      return { input, status, reads: (await countReads(api)) - before };
    };
    const input = await inputIn(kitchen, operation);
    const reads = readFromReplica.includes(operation) ? 1 : 0;
    // In a kitchen a turn is open.
    expect(await call(input)).toEqual({ input, reads, status: operation.name === 'turns.open' ? 409 : 200 });
    if (reads === 0) return;
    for (const [field, schema] of Object.entries(operation.input.shape)) {
      const filtered = { ...input, [field]: input[field] ?? exampleOf(schema, field, true) };
      // Only the primary knows who is under way: what has changed is read there.
      const fromReplica = operation.meta.changes && field in changes ? 0 : reads;
      expect(await call(filtered)).toMatchObject({ input: filtered, reads: fromReplica });
    }
  });
});

async function countReads({ url }: TestApi): Promise<number> {
  const counts = Object.values(await replicaReads(url));
  expect(counts).not.toEqual([]);
  return counts.reduce((sum, count) => sum + count, 0);
}
