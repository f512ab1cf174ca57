import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { compare } from '../model/compare.ts';
import { startDrive } from '../model/drive.ts';
import { openService, type Service } from '../model/service.ts';
import { createChance } from '../support/chance.ts';
import type { TestProcess } from '../support/processes.ts';
import { reportFault, seedOf, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type Claim, delivering, killAtWork, publishing } from './support/freezing.ts';

const seed = seedOf(11);
const chance = createChance(seed);
const callers = 3;

/** Within this time of the kill another worker must have gone on: the promise. */
const promiseMs = 60_000;

test('a worker killed (-9) while it publishes or delivers loses no event, and publishes none twice; the next one delivers with the same id and body', async () => {
  const service = await openService({ callers });
  const { consumer, database } = service;
  // Some answers take their time, so that there is work in hand; some first attempts fail, so that there are others.
  consumer.behave(({ arrivals }) => ({
    afterMs: chance.percent(30) ? chance.between(20, 400) : 0,
    status: arrivals.length === 1 && chance.percent(10) ? 500 : 204,
  }));
  const driven = startDrive(service.restaurants, { callers, seed, paceMs: 20, jobEvery: 300 });
  let worker = await startNamed(service, 0);
  let started = 0;

  const publishingKills = trials(2, 20);
  let slowestMs = 0;
  for (let kill = 0; kill < publishingKills; kill++) {
    // In turns another one is there already, or starts later.
    const other = kill % 2 === 0 ? await startNamed(service, started + 1) : undefined;
    const { work: last, killedAt } = await killAtWork(
      worker,
      () => publishing(database, sessionsOf(started)),
      { pauseMs: () => chance.between(0, 40) },
    );
    started += 1;
    worker = other ?? (await startNamed(service, started));
    await waitFor('what waited to be published', () => publishedUpTo(service, last), {
      timeoutMs: promiseMs,
    });
    slowestMs = Math.max(slowestMs, performance.now() - killedAt);
  }
  report('while it published', publishingKills, slowestMs);

  for (const elsewhere of [false, true]) {
    const kills = trials(1, 10);
    const dead: (Claim & { killedAt: number })[] = [];
    for (let kill = 0; kill < kills; kill++) {
      // As if it ran on another machine than the next one: its silence alone shows that it is dead.
      if (elsewhere)
        await database.pool.query(
          `update internal.process_heartbeats set pid_space = 'elsewhere' where pid = $1`,
          [worker.pid],
        );
      const next = elsewhere ? await startNamed(service, ++started) : undefined;
      await sleep(chance.between(0, trials(1_000, 4_000)));
      const { work: claims, killedAt } = await killAtWork(worker, () => delivering(database, worker), {
        pauseMs: () => chance.between(0, 60),
      });
      dead.push(...claims.map((claim) => ({ ...claim, killedAt })));
      worker = next ?? (await startNamed(service, ++started));
    }
    const again = ({ locationId, eventId, killedAt }: (typeof dead)[number]) =>
      consumer.receipts.get(`${locationId} ${eventId}`)?.arrivals.find(({ at }) => at > killedAt);
    // Without load, so that the wait until the dead worker is noticed is not longer than promised.
    if (elsewhere) await driven.stop();
    await waitFor('every claimed delivery to be made again', () => dead.every((claim) => again(claim)), {
      timeoutMs: promiseMs + 30_000,
    });
    const slowestMs = Math.max(
      ...dead.map((claim) => (again(claim)?.at ?? Number.POSITIVE_INFINITY) - claim.killedAt),
    );
    report(elsewhere ? 'while it delivered, the next one elsewhere' : 'while it delivered', kills, slowestMs);
    expect(slowestMs).toBeLessThan(promiseMs);
    // Nothing is recorded of an attempt whose maker died: the next one bears its number again.
    expect(dead.filter((claim) => again(claim)?.attempt !== claim.attempt)).toEqual([]);
  }
  await compare(service);
  expect((await worker.stop()).code).toBe(0);
  expect((await service.api.stop()).code).toBe(0);
  await service.close();
}, 1_800_000);

const report = (when: string, kills: number, slowestMs: number) =>
  reportFault(`worker killed (-9) ${when}`, {
    trials: kills,
    real: kills,
    seed,
    'slowest recovery ms': Math.round(slowestMs),
  });

const sessionsOf = (index: number) => `comanda-worker-${index}`;

/** A worker whose sessions can be distinguished from those of another. */
async function startNamed(service: Service, index: number): Promise<TestProcess> {
  const url = new URL(service.databaseUrl);
  url.searchParams.set('application_name', sessionsOf(index));
  return service.start('worker', { DATABASE_URL: url.href, WEBHOOK_RETRY_DELAYS: '1,1,1,1' });
}

async function publishedUpTo({ database }: Service, last: string): Promise<boolean> {
  const { rows } = await database.pool.query(
    'select from internal.captured_changes where id <= $1::bigint limit 1',
    [last],
  );
  return rows.length === 0;
}
