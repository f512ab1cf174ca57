import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { compare } from '../model/compare.ts';
import { startDrive } from '../model/drive.ts';
import { openService, type Service } from '../model/service.ts';
import { createChance } from '../support/chance.ts';
import type { TestProcess } from '../support/processes.ts';
import { reportFault, thorough, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type Claim, delivering, killAtWork, publishing } from './support/freezing.ts';

const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const chance = createChance(seed);
const callers = 3;

/** Within this time of the kill another worker must have gone on: the promise. */
const promiseMs = 60_000;

describe.concurrent('a worker killed (-9)', { timeout: 1_800_000 }, () => {
  test('while it publishes loses no event and publishes none twice', async () => {
    const service = await openService({ callers });
    const driven = startDrive(service.restaurants, { callers, seed, paceMs: 10, jobEvery: 300 });
    const kills = trials(2, 20);
    let slowestMs = 0;
    let worker = await startNamed(service, 0);
    for (let kill = 0; kill < kills; kill++) {
      // In turns another one is there already, or starts later.
      const other = kill % 2 === 0 ? await startNamed(service, kill + 1) : undefined;
      const look = () => publishing(service.database, sessionsOf(kill));
      const { work: last, killedAt } = await killAtWork(worker, look, {
        pauseMs: () => chance.between(0, 40),
      });
      worker = other ?? (await startNamed(service, kill + 1));
      await waitFor('what waited to be published', () => publishedUpTo(service, last), {
        timeoutMs: promiseMs,
      });
      slowestMs = Math.max(slowestMs, performance.now() - killedAt);
    }
    await driven.stop();
    await requireWhole(service, 'worker killed (-9) while it published', {
      trials: kills,
      real: kills,
      slowestMs,
    });
  });

  test('while it delivers has its deliveries made by the next one, with the same id and body', async () => {
    const service = await openService({ callers });
    await killDeliverers(service, 'worker killed (-9) while it delivered, the next one started at once', {
      kills: trials(1, 10),
      start: () => service.start('worker', quickRetries),
    });
  });

  test('while it delivers has its deliveries made by one elsewhere, with the same id and body', async () => {
    const service = await openService({ callers });
    const survivor = await service.start('worker', quickRetries);
    await killDeliverers(service, 'worker killed (-9) while it delivered with one on another machine', {
      kills: trials(1, 10),
      async start() {
        const worker = await service.start('worker', quickRetries);
        // As if it ran on another machine: its silence alone shows that it is dead.
        await service.database.pool.query(
          `update internal.process_heartbeats set pid_space = 'elsewhere' where pid = $1`,
          [worker.pid],
        );
        return worker;
      },
    });
    expect(await Promise.race([survivor.ended, sleep(0, 'it runs')])).toBe('it runs');
  });
});

const quickRetries = { WEBHOOK_RETRY_DELAYS: '1,1,1,1' };

const sessionsOf = (index: number) => `comanda-worker-${index}`;

/** A worker whose sessions can be distinguished from those of another. */
async function startNamed(service: Service, index: number): Promise<TestProcess> {
  const url = new URL(service.databaseUrl);
  url.searchParams.set('application_name', sessionsOf(index));
  return service.start('worker', { DATABASE_URL: url.href });
}

async function publishedUpTo({ database }: Service, last: string): Promise<boolean> {
  const { rows } = await database.pool.query(
    'select from internal.captured_changes where id <= $1::bigint limit 1',
    [last],
  );
  return rows.length === 0;
}

async function killDeliverers(
  service: Service,
  fault: string,
  { kills, start }: { kills: number; start(): Promise<TestProcess> },
): Promise<void> {
  const { consumer } = service;
  // Some answers take their time, so that there is work in hand; some first attempts fail, so that there are others.
  consumer.behave(({ arrivals }) => ({
    afterMs: chance.percent(30) ? chance.between(20, 400) : 0,
    status: arrivals.length === 1 && chance.percent(10) ? 500 : 204,
  }));
  let worker = await start();
  const pace = { paceMs: thorough ? 40 : 20, jobEvery: 300 };
  const driven = startDrive(service.restaurants, { callers, seed, ...pace });
  const dead: { claims: Claim[]; killedAt: number }[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await sleep(chance.between(0, 4_000));
    const { work: claims, killedAt } = await killAtWork(worker, () => delivering(service.database, worker), {
      pauseMs: () => chance.between(0, 60),
    });
    dead.push({ claims, killedAt });
    worker = await start();
  }
  const claims = dead.flatMap(({ claims, killedAt }) => claims.map((claim) => ({ ...claim, killedAt })));
  const again = ({ locationId, eventId, killedAt }: (typeof claims)[number]) =>
    consumer.receipts.get(`${locationId} ${eventId}`)?.arrivals.find(({ at }) => at > killedAt);
  await waitFor('every claimed delivery to be made again', () => claims.every((claim) => again(claim)), {
    timeoutMs: promiseMs + 30_000,
  });
  const delays = claims.map((claim) => (again(claim)?.at ?? Number.POSITIVE_INFINITY) - claim.killedAt);
  const slowestMs = Math.max(...delays);
  await driven.stop();
  const figures = { trials: kills, real: dead.length, claims: claims.length, slowestMs };
  await requireWhole(service, fault, figures);
  expect(slowestMs).toBeLessThan(promiseMs);
  // Nothing is recorded of an attempt whose maker died: the next one bears its number again.
  expect(claims.filter((claim) => again(claim)?.attempt !== claim.attempt)).toEqual([]);
}

/** Reports, and compares the service with its model when all is quiet. */
async function requireWhole(
  service: Service,
  fault: string,
  { slowestMs, ...figures }: { trials: number; real: number; slowestMs: number; [figure: string]: number },
): Promise<void> {
  await compare(service);
  reportFault(fault, { ...figures, seed, 'slowest recovery ms': Math.round(slowestMs) });
  await service.close();
}
