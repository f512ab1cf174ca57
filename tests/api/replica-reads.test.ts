import { describe, expect, it } from 'vitest';
import { exampleOf } from '../../packages/api/src/documents/examples.ts';
import { changes, wantsDeleted } from '../../packages/api/src/resources/changes/schema.ts';
import { trpcEntrance } from '../contract/entrances.ts';
import { inputIn, openKitchen } from '../contract/kitchen.ts';
import { type TestApi, useApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { readFromReplica, replicaReads } from '../support/replica.ts';

describe('a replica may answer the one read of every list, the catalog, the export and the reports, and of nothing else', () => {
  // Nothing answers there: the reads are counted all the same, and the primary has them.
  const api = useApi(() => ({ databaseReplicaUrl: 'postgresql://nobody@127.0.0.1:1/nothing' }));

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
      const ofChanges = field in changes || wantsDeleted(filtered);
      const fromReplica = operation.tellsChanges && ofChanges ? 0 : reads;
      expect(await call(filtered)).toMatchObject({ input: filtered, reads: fromReplica });
    }
  });
});

async function countReads({ url }: TestApi): Promise<number> {
  const counts = Object.values(await replicaReads(url));
  expect(counts).not.toEqual([]);
  return counts.reduce((sum, count) => sum + count, 0);
}
