import { addJob } from '@comanda/db';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../support/wait.ts';
import { useSharedKit } from './kit.ts';

const kit = useSharedKit();

/** How long after it was due a job is over. */
async function lateness(dueInMs: number): Promise<number> {
  const due = performance.now() + dueInMs;
  const id = await addJob(kit.database, 'probe-imports', {}, { runAt: new Date(Date.now() + dueInMs) });
  await waitFor(
    'the job to be over',
    async () => (await kit.count(`graphile_worker.jobs where id = ${id}`)) === 0,
  );
  return performance.now() - due;
}

test('a job that falls due is begun then, be it queued after one that is due later, and not at the next look', async () => {
  await kit.startWorker();
  onTestFinished(kit.stopWorkers);
  expect(await lateness(0)).toBeLessThan(2_000);
  const late = await Promise.all([5_500, 2_700].map(lateness));
  for (const ms of late) {
    expect(ms).toBeGreaterThan(-100);
    expect(ms).toBeLessThan(1_500);
  }
});
