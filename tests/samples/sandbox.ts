import { openDatabase } from '@comanda/db';
import { afterAll, beforeAll } from 'vitest';
import { callRest } from '../support/api.ts';
import { type Demo, startDemo } from '../support/demo.ts';
import { createKey, createLocation } from '../support/factories.ts';

/** A sandbox that was reset to the demo restaurant, as an integrator gets it: its ids are no ids of the documents. */
export interface SandboxDemo {
  url: string;
  /** It may do everything. */
  key: string;
}

/** One for the tests of the `describe` that it is called in. */
export function useSandbox(): SandboxDemo {
  const sandbox = { url: '', key: '' };
  let demo: Demo | undefined;
  beforeAll(async () => {
    demo = await startDemo();
    const database = openDatabase({ url: demo.databaseUrl, poolSize: 1, applicationName: 'comanda-test' });
    const locationId = await createLocation(database, { sandbox: true });
    const { key } = await createKey(database, { locationId, batchJobsPerHour: 1_000, perMinute: 10_000 });
    await database.close();
    Object.assign(sandbox, { url: demo.url, key });
    const { status, text } = await callRest(demo.url, 'POST /v2/sandbox/reset', { key });
    if (status !== 200) throw new Error(text);
  });
  afterAll(() => demo?.close());
  return sandbox;
}
