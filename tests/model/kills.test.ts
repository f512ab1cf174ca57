import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createChance } from '../support/chance.ts';
import { reportFault, seedOf, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { compare } from './compare.ts';
import { startDrive } from './drive.ts';
import { openService } from './service.ts';

const seed = seedOf(11);
const kills = trials(6, 50);

test(`killed at any moment, API and worker have done every write, event and delivery whole or not at all (COMANDA_SEED=${seed})`, async () => {
  const chance = createChance(seed);
  const service = await openService({ restaurants: 2, callers: 6 });
  let { api } = service;
  let worker = await service.start('worker', quickRetries);
  const driven = startDrive(service.restaurants, {
    callers: 6,
    seed,
    paceMs: 5,
    jobEvery: 100,
    planEvery: 40,
  });
  let real = 0;
  for (let kill = 0; kill < kills; kill++) {
    // From a fresh process, which still connects, to a warm one: after so many answers, and at any moment after.
    const until = driven.answered() + (chance.percent(20) ? 0 : chance.between(1, 150));
    await waitFor('the callers to get on', () => driven.answered() >= until, {
      timeoutMs: 60_000,
      intervalMs: 5,
    });
    await sleep(chance.between(0, 30));
    if (service.inFlight() > 0) real += 1;
    if (kill % 3 === 2) {
      expect((await worker.stop('SIGKILL')).signal, worker.output()).toBe('SIGKILL');
      worker = await service.start('worker', quickRetries);
    } else {
      expect((await api.stop('SIGKILL')).signal, api.output()).toBe('SIGKILL');
      service.serveAt();
      api = await service.start('api');
      service.serveAt(api);
    }
  }
  await driven.stop();
  await compare(service);
  const sum = (name: 'answered' | 'unanswered' | 'carriedOut') =>
    service.restaurants.reduce((all, { counts }) => all + counts[name], 0);
  reportFault('API and worker killed (-9) under load', {
    trials: kills,
    real,
    seed,
    answered: sum('answered'),
    'without an answer': sum('unanswered'),
    'carried out all the same': sum('carriedOut'),
  });
  // The faults must have met calls under way.
  expect(real).toBeGreaterThanOrEqual(Math.ceil(kills * 0.8));
  expect((await worker.stop()).code).toBe(0);
  expect((await api.stop()).code).toBe(0);
  await service.close();
}, 1_800_000);

const quickRetries = { WEBHOOK_RETRY_DELAYS: '1,1,1,1' };
