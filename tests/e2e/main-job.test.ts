import { randomBytes } from 'node:crypto';
import { issueKey } from '@comanda/api/services';
import { openDatabase } from '@comanda/db';
import { expect, it, onTestFinished } from 'vitest';
import { runMainJob } from '../../extras/demo/src/main-job.ts';
import { createTestDatabase } from '../support/database.ts';
import { createLocation, createPaymentMethod } from '../support/factories.ts';
import { prismaOf } from '../support/prisma.ts';
import { startProcess } from '../support/processes.ts';

it('an ERP syncs 500 products, places an order once, and hears of it through signed webhooks', async () => {
  const test = await createTestDatabase();
  const env = {
    DATABASE_URL: test.url,
    WEBHOOK_TARGETS: 'any',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  const [api, worker] = await Promise.all([
    startProcess({ entry: 'api', env }),
    startProcess({ entry: 'worker', env }),
  ]);
  const database = openDatabase({ url: test.url, poolSize: 2 });
  onTestFinished(async () => {
    await database.close();
    await test.drop();
  });
  const locationId = await createLocation(database);
  await createPaymentMethod(database, { locationId });
  const { key } = await issueKey(database, { name: 'ERP', permissions: ['*'], location_id: locationId });
  const steps: string[] = [];
  const result = await runMainJob({
    baseUrl: api.url ?? '',
    key,
    print: (step) => steps.push(step),
    patienceMs: 60_000,
  });
  expect(result).toMatchObject({ jobStatus: 'completed', replayed: true, allVerified: true });
  expect(steps).toHaveLength(9);
  expect(await prismaOf(database).product.count({ where: { locationId } })).toBe(500);
  expect(await prismaOf(database).order.count({ where: { locationId } })).toBe(1);
  expect(result.deliveries).toBe(result.eventTypes.length);
  const endings = await Promise.all([api.stop(), worker.stop()]);
  expect(endings.map(({ code }) => code)).toEqual([0, 0]);
}, 120_000);
