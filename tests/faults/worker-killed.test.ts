import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createChance } from '../e2e/day/chance.ts';
import type { TestProcess } from '../support/processes.ts';
import { reportFault, thorough, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { type Claim, delivering, killAtWork, publishing } from './support/freezing.ts';
import { startLoad } from './support/load.ts';
import { comparePublished } from './support/missing-events.ts';
import { complaintsOf, reconcile } from './support/reconcile.ts';
import { openSite, type Site } from './support/site.ts';

const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const chance = createChance(seed);
const lanes = 3;

/** Within this time of the kill another worker must have gone on: the promise. */
const promiseMs = 60_000;

describe.concurrent('a worker killed (-9)', { timeout: 1_800_000 }, () => {
  test('while it publishes loses no event and publishes none twice', async () => {
    const site = await openSite({ shops: 1, lanes });
    const load = startLoad({ ...site, lanes, chance, paceMs: 10, jobEvery: 300 });
    const kills = trials(2, 20);
    let slowestMs = 0;
    let worker = await startNamed(site, 0);
    for (let kill = 0; kill < kills; kill++) {
      // In turns another one is there already, or starts later.
      const other = kill % 2 === 0 ? await startNamed(site, kill + 1) : undefined;
      const look = () => publishing(site.database, sessionsOf(kill));
      const { work: last, killedAt } = await killAtWork(worker, look, {
        pauseMs: () => chance.between(0, 40),
      });
      worker = other ?? (await startNamed(site, kill + 1));
      await waitFor('what waited to be published', () => publishedUpTo(site, last), { timeoutMs: promiseMs });
      slowestMs = Math.max(slowestMs, performance.now() - killedAt);
    }
    await load.stop();
    await requireWhole(site, 'worker killed (-9) while it published', {
      trials: kills,
      real: kills,
      slowestMs,
    });
  });

  test('while it delivers has its deliveries made by the next one, with the same id and body', async () => {
    const site = await openSite({ shops: 1, lanes });
    await killDeliverers(site, 'worker killed (-9) while it delivered, the next one started at once', {
      kills: trials(1, 10),
      start: () => site.start('worker', quickRetries),
    });
  });

  test('while it delivers has its deliveries made by one elsewhere, with the same id and body', async () => {
    const site = await openSite({ shops: 1, lanes });
    const survivor = await site.start('worker', quickRetries);
    await killDeliverers(site, 'worker killed (-9) while it delivered with one on another machine', {
      kills: trials(1, 10),
      async start() {
        const worker = await site.start('worker', quickRetries);
        // As if it ran on another machine: its silence alone shows that it is dead.
        await site.database.pool.query(
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
async function startNamed(site: Site, index: number): Promise<TestProcess> {
  const url = new URL(site.databaseUrl);
  url.searchParams.set('application_name', sessionsOf(index));
  return site.start('worker', { DATABASE_URL: url.href });
}

async function publishedUpTo({ database }: Site, last: string): Promise<boolean> {
  const { rows } = await database.pool.query(
    'select from internal.captured_changes where id <= $1::bigint limit 1',
    [last],
  );
  return rows.length === 0;
}

async function killDeliverers(
  site: Site,
  fault: string,
  { kills, start }: { kills: number; start(): Promise<TestProcess> },
): Promise<void> {
  const { consumer } = site;
  // Some answers take their time, so that there is work in hand; some first attempts fail, so that there are others.
  consumer.behave(({ arrivals }) => ({
    afterMs: chance.percent(30) ? chance.between(20, 400) : 0,
    status: arrivals.length === 1 && chance.percent(10) ? 500 : 204,
  }));
  let worker = await start();
  const load = startLoad({ ...site, lanes, chance, paceMs: thorough ? 40 : 20, jobEvery: 300 });
  const dead: { claims: Claim[]; killedAt: number }[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await sleep(chance.between(0, 4_000));
    const { work: claims, killedAt } = await killAtWork(worker, () => delivering(site.database, worker), {
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
  await load.stop();
  const figures = { trials: kills, real: dead.length, claims: claims.length, slowestMs };
  await requireWhole(site, fault, figures);
  expect(slowestMs).toBeLessThan(promiseMs);
  // Nothing is recorded of an attempt whose maker died: the next one bears its number again.
  expect(claims.filter((claim) => again(claim)?.attempt !== claim.attempt)).toEqual([]);
}

/** Waits until all is quiet, reports, and holds the ledger against the database and the consumer. */
async function requireWhole(
  site: Site,
  fault: string,
  { slowestMs, ...figures }: { trials: number; real: number; slowestMs: number; [figure: string]: number },
): Promise<void> {
  const { databaseUrl, ledger, shops, consumer } = site;
  await site.quiet(120_000);
  const found = await reconcile(databaseUrl, ledger, shops);
  const published = await comparePublished(databaseUrl, ledger, shops, consumer);
  const { events, missing, unfounded, delivered, dead, repeats } = published;
  reportFault(fault, {
    ...{ ...figures, seed, 'slowest recovery ms': Math.round(slowestMs) },
    ...{ events, missing, unfounded, delivered, dead, repeats },
    ...{ acknowledged: found.acknowledged, found: found.found, jobs: ledger.jobs.length },
  });
  expect(published.complaints, `seed ${seed}`).toEqual([]);
  expect(complaintsOf(found), `seed ${seed}`).toEqual([]);
  expect(found.found).toBe(found.acknowledged);
  expect(published).toMatchObject({ delivered: events, dead: 0, waiting: 0 });
  await site.close();
}
