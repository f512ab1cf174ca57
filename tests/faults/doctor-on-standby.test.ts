import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { migrateQueue } from '../../packages/db/src/migrations/queue.ts';
import { waitFor } from '../support/wait.ts';
import { type OwnServer, startOwnServer } from './postgres/server.ts';
import { primarySettings, startStandby } from './postgres/standby.ts';

let primary: OwnServer;
let standby: OwnServer;
beforeAll(async () => {
  primary = await startOwnServer({ settings: primarySettings });
  await migrateQueue(primary.url);
  standby = await startStandby(primary);
}, 120_000);
afterAll(async () => {
  await standby?.remove();
  await primary?.remove();
});

test('doctor sees that DATABASE_URL names a hot standby, where every question is answered', async () => {
  const ENCRYPTION_KEY = randomBytes(32).toString('base64');
  const { outcome, checks } = await waitFor('the standby to be asked', () =>
    diagnose({ DATABASE_URL: standby.url, ENCRYPTION_KEY }),
  );
  const of = (name: string) => checks.find((check) => check.name === name);
  expect(outcome).toBe('wrong');
  expect(of('database reachable')?.outcome).toBe('ok');
  expect(of('writing')).toMatchObject({
    outcome: 'wrong',
    found: expect.stringMatching(
      /^it cannot be written to: cannot execute INSERT in a read-only transaction/,
    ),
    advice: expect.stringMatching(/standby/),
  });
  expect(of('queue')?.outcome).toMatch(/^(unknown|wrong)$/);
  // The readable parts are judged there as well.
  for (const name of ['migrations', 'counts', 'functions and triggers', 'event feed'])
    expect(of(name), name).toMatchObject({ outcome: 'ok' });
});
