import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createChance } from '../e2e/day/chance.ts';
import { reportFault, thorough, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { startLoad } from './support/load.ts';
import { comparePublished } from './support/missing-events.ts';
import { complaintsOf, reconcile } from './support/reconcile.ts';
import { openSite } from './support/site.ts';

const seed = Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);
const kills = trials(6, 50);
const lanes = 8;

test('killed at any moment under load, the API has carried out every write whole or not at all', async () => {
  const chance = createChance(seed);
  const site = await openSite({ shops: 2, lanes });
  const { databaseUrl, ledger, shops, consumer } = site;
  const worker = await site.start('worker');
  let { api } = site;
  const load = startLoad({ ...site, lanes, chance, paceMs: 5, jobEvery: 150 });
  const figures = { real: 0, inFlight: 0, 'committed without an answer': 0, 'not carried out': 0 };

  for (let kill = 0; kill < kills; kill++) {
    // From a fresh process, which still connects, to a warm one: after so many answers, and at any moment after.
    const until = load.answered() + (chance.percent(20) ? 0 : chance.between(1, 150));
    await waitFor('the load to get on', () => load.answered() >= until, { timeoutMs: 60_000, intervalMs: 5 });
    await sleep(chance.between(0, 30));
    const inFlight = load.inFlight();
    const { signal } = await api.stop('SIGKILL');
    expect(signal, api.output()).toBe('SIGKILL');
    site.serveAt(undefined);
    await load.idle();
    await site.sessionsGone('api');
    const found = await reconcile(databaseUrl, ledger, shops);
    expect(complaintsOf(found), `seed ${seed}, kill ${kill}`).toEqual([]);
    expect(found.found).toBe(found.acknowledged);
    if (inFlight > 0) figures.real += 1;
    figures.inFlight += inFlight;
    figures['committed without an answer'] += found.unknownFound;
    figures['not carried out'] += found.unknownAbsent;
    api = await site.start('api');
    // A call without an answer is sent again now.
    site.serveAt(api.url);
  }
  await sleep(200);
  await load.stop();
  await site.quiet(90_000);

  const end = await reconcile(databaseUrl, ledger, shops);
  const published = await comparePublished(databaseUrl, ledger, shops, consumer);
  const { events, missing, unfounded, delivered } = published;
  reportFault('API killed (-9) under load', {
    ...{ trials: kills, seed, ...figures, orders: ledger.orders.length },
    ...{ acknowledged: end.acknowledged, found: end.found, replayed: ledger.replayed },
    ...{ lost: end.lost.length, duplicated: end.duplicated.length, half: end.half.length },
    ...{ events, missing, unfounded, delivered },
  });
  expect(complaintsOf(end), `seed ${seed}`).toEqual([]);
  expect(end).toMatchObject({ found: end.acknowledged, unknownFound: 0, unknownAbsent: 0 });
  expect(published.complaints, `seed ${seed}`).toEqual([]);
  expect(published).toMatchObject({ delivered: events, dead: 0, waiting: 0 });
  // The fault must have met work in flight, and some of the dead must have been between commit and answer.
  expect(figures.real).toBeGreaterThanOrEqual(Math.ceil(kills * 0.8));
  if (thorough) expect(figures['committed without an answer']).toBeGreaterThan(0);
  expect((await worker.stop()).code).toBe(0);
  await api.stop();
  await site.close();
}, 1_800_000);
