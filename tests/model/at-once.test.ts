import { expect, test } from 'vitest';
import { seedOf, trials } from '../support/trials.ts';
import { compare } from './compare.ts';
import { drive, turnOver } from './drive.ts';
import { openService } from './service.ts';

const seed = seedOf(7);
const callers = 16;
const acts = trials(10, 100);

test(`callers at two processes: every answer, report, event and delivery adds up to the cent (COMANDA_SEED=${seed})`, async () => {
  const service = await openService({ callers });
  const [restaurant] = service.restaurants;
  if (restaurant === undefined) throw new Error('one was asked for');
  const processes = [service.api, await service.start('api'), await service.start('worker')];
  service.serveAt(...processes.slice(0, 2));
  const work = (count: number, more: number) =>
    drive(service.restaurants, { callers, acts: count, seed: seed + more, jobEvery: 40, planEvery: 20 });
  await work(2, 0);
  await turnOver(restaurant, 'open');
  await work(acts, 1);
  await compare(service);
  await turnOver(restaurant, 'close');
  await work(2, 2);
  await compare(service);
  // The next turn collects what was paid in between.
  await turnOver(restaurant, 'open');
  await work(2, 3);
  await turnOver(restaurant, 'close');
  await compare(service);
  // Without a reason to: neither was asked again.
  expect(restaurant.counts).toMatchObject({ unavailable: 0, unanswered: 0 });
  const endings = await Promise.all(processes.map((each) => each.stop()));
  expect(endings.map(({ code }) => code)).toEqual([0, 0, 0]);
  await service.close();
}, 600_000);
