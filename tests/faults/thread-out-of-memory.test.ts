import { randomBytes, randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { gatherPieces, type Pieces } from '../../packages/api/src/bodies/pieces.ts';
import type { LargeCall } from '../../packages/api/src/call/large.ts';
import type { Caller } from '../../packages/api/src/credentials/credentials.ts';
import { createLargeBodies } from '../../packages/api/src/large/large-bodies.ts';
import { useApi } from '../support/api.ts';
import { createLocation } from '../support/factories.ts';

const api = useApi();

it('ends the thread for large bodies alone: its call is a 503, and the next one has a new thread', async () => {
  const settings: Parameters<typeof createLargeBodies>[0] = {
    databaseUrl: api.databaseUrl,
    encryptionKey: randomBytes(32).toString('base64'),
    idempotencyTtlHours: 1,
    webhookTargets: 'any',
    webhookAllowCidrs: [],
    logLevel: 'silent',
  };
  const large = createLargeBodies(settings, api.app.log, 28);
  const location: Caller['location'] = {
    id: await createLocation(api.app.database),
    code: '',
    name: '',
    timezone: 'UTC',
    currency: 'USD',
    createdAt: new Date(),
    sandbox: false,
    status: 'active',
  };
  const caller: Caller = {
    apiKeyId: randomUUID(),
    keyName: 'test',
    locationId: location.id,
    location,
    granted: new Set(['*']),
    allEventTypes: false,
    limits: { perMinute: 1, monthly: 1, batchJobsPerHour: 1, maxItemsPerBatch: 10_000_000 },
  };
  const call = (body: Pieces): LargeCall => ({
    operation: 'stock.sync',
    caller,
    requestId: 'r',
    traceparent: undefined,
    apiVersion: 'v2',
    refusesUnknown: false,
    simulation: undefined,
    ifMatch: undefined,
    ifNoneMatch: undefined,
    ifUnmodifiedSince: false,
    given: { body, members: {}, key: { name: 'Idempotency-Key', key: 'k' }, isStrict: false },
  });
  const items = (count: number) => {
    const pieces = gatherPieces();
    pieces.add(Buffer.from(`{"items":[${'{},'.repeat(count - 1)}{}]}`));
    return pieces.end();
  };
  onTestFinished(() => large.close());
  await expect(large.perform(call(items(240_000)), undefined)).rejects.toMatchObject({
    status: 503,
    reason: 'temporarily_unavailable',
    headers: { 'Retry-After': '5' },
  });
  await expect(large.perform(call(items(1_000)), undefined)).resolves.toMatchObject({
    refusal: {
      status: 422,
      fields: expect.arrayContaining([expect.objectContaining({ path: 'items[0].quantity' })]),
    },
  });
});
