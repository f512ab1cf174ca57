import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { compare } from '../model/compare.ts';
import { startDrive } from '../model/drive.ts';
import { openService, type Service } from '../model/service.ts';
import { createChance } from '../support/chance.ts';
import type { TestProcess } from '../support/processes.ts';
import { reportFault, seedOf, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { runStart } from './pressure/starts.ts';
import { createCaller } from './support/caller.ts';

const seed = seedOf(11);
const chance = createChance(seed);

/** The promise: a stop takes so long at most. */
const stopMs = 35_000;

describe('stopped (SIGTERM) under load', { timeout: 900_000 }, () => {
  test('the API answers every request that it has taken, the worker finishes what it delivers or hands it over; both end with 0, and nothing is made twice or half', async () => {
    const service = await openService({ restaurants: 2, callers: 8 });
    const { consumer, database, restaurants, serveAt, inFlight: underWay } = service;
    const ordering = startDrive(restaurants, { callers: 8, seed });
    const apiStops: Stop[] = [];
    let { api } = service;
    for (let round = 0; round < trials(2, 10); round++) {
      await sleep(chance.between(300, 1_500));
      await waitFor('requests under way', () => underWay() > 0);
      const inFlight = underWay();
      // All callers go on asking, until the listener is closed.
      apiStops.push(await stopOf(api, inFlight));
      serveAt();
      api = await service.start('api');
      serveAt(api);
    }
    await ordering.stop();

    consumer.behave(() => ({ afterMs: chance.percent(3) ? chance.between(50, 1_500) : 0 }));
    // Jobs of several chunks: a smaller one is hardly ever met under way.
    const jobs = { jobEvery: 60, jobItems: [1_200, 1_600] } as const;
    const driven = startDrive(restaurants, { ...jobs, callers: 3, seed: seed + 1, paceMs: 40 });
    const workerStops: Stop[] = [];
    for (let round = 0; round < trials(1, 10); round++) {
      const worker = await service.start('worker', { WEBHOOK_RETRY_DELAYS: '1,1,1,1' });
      await waitFor('deliveries and a sync job under way', () => busy(service), { timeoutMs: 120_000 });
      workerStops.push(await stopOf(worker, consumer.inHand().length));
      expect(consumer.inHand()).toEqual([]);
      const { rows } = await database.pool.query(
        `select from webhook_deliveries where leased_until is not null
         union all select from graphile_worker.jobs where locked_at is not null`,
      );
      expect(rows).toEqual([]);
    }
    await driven.stop();
    const last = await service.start('worker');
    await compare(service);
    // A request that was taken and not answered would show: it is sent again with its key. One whose connection was closed, after
    // a rest, in the moment in which it was sent was never taken; on a busy machine there are some.
    expect(restaurants.map(({ counts }) => counts.carriedOut)).toEqual([0, 0]);
    // Nothing came twice: what a worker had sent when it was stopped, it has recorded.
    expect([...consumer.receipts.values()].filter(({ arrivals }) => arrivals.length > 1)).toEqual([]);
    for (const stops of [apiStops, workerStops]) requireStops(stops);
    const closed = restaurants.reduce((sum, { counts }) => sum + counts.unanswered, 0);
    report('API stopped under load', apiStops, { 'closed while they rested': closed });
    report('worker stopped under load', workerStops, { delivered: consumer.receipts.size });
    await Promise.all([api.stop(), last.stop()]);
    await service.close();
  });

  test('npm start ends everything within the time, with 0, and answers every request that it has taken', async () => {
    const stops: Stop[] = [];
    let answered = 0;
    for (let round = 0; round < trials(1, 5); round++) {
      const run = await runStart();
      const calls = keepAsking(run.baseUrl, run.key);
      await waitFor('answers', () => calls.answered() > 50 || calls.faults.length > 0, { timeoutMs: 60_000 });
      const began = performance.now();
      const children = run.children();
      run.stop();
      const code = await run.ended;
      stops.push({ inFlight: 1, ms: performance.now() - began, code });
      expect(await calls.stop()).toEqual([]);
      expect(children.length).toBe(2);
      expect(children.filter(isAlive)).toEqual([]);
      answered += calls.answered();
      run.remove();
    }
    requireStops(stops);
    report('npm start stopped under load', stops, { answered, unanswered: 0 });
  });
});

interface Stop {
  inFlight: number;
  ms: number;
  code: number | null;
}

async function stopOf(running: TestProcess, inFlight: number): Promise<Stop> {
  const began = performance.now();
  const { code } = await running.stop();
  return { inFlight, ms: performance.now() - began, code };
}

function requireStops(stops: readonly Stop[]): void {
  expect(stops.map(({ code }) => code)).toEqual(stops.map(() => 0));
  expect(Math.max(...stops.map(({ ms }) => ms))).toBeLessThan(stopMs);
  expect(stops.filter(({ inFlight }) => inFlight > 0).length).toBe(stops.length);
}

function report(fault: string, stops: readonly Stop[], figures: Record<string, number>): void {
  reportFault(fault, {
    trials: stops.length,
    real: stops.filter(({ inFlight }) => inFlight > 0).length,
    seed,
    inFlight: stops.reduce((sum, { inFlight }) => sum + inFlight, 0),
    slowestStopMs: Math.round(Math.max(...stops.map(({ ms }) => ms))),
    ...figures,
  });
}

async function busy({ consumer, database }: Service): Promise<boolean> {
  if (consumer.inHand().length === 0) return false;
  const { rows } = await database.pool.query(`select from sync_jobs where status = 'processing' limit 1`);
  return rows.length > 0 && consumer.inHand().length > 0;
}

/** Callers that go on until the listener is closed. `stop` answers what became of calls that got no answer. */
function keepAsking(baseUrl: string, key: string) {
  const caller = createCaller();
  const faults: string[] = [];
  let answered = 0;
  let stopping = false;
  const ask = async () => {
    while (!stopping) {
      const outcome = await caller.call(baseUrl, { route: 'GET /v2/products?limit=50', key });
      if (outcome.kind === 'unsent') return;
      if (outcome.kind === 'unknown') faults.push(outcome.reason);
      // The demo key may do 600 requests a minute.
      else if (outcome.status === 200 || outcome.status === 429) answered += 1;
      else faults.push(`${outcome.status} ${outcome.text}`);
    }
  };
  const running = Promise.all(Array.from({ length: 8 }, ask));
  return {
    answered: () => answered,
    faults,
    async stop() {
      stopping = true;
      await running;
      caller.close();
      return faults;
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
