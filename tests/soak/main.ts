import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { note, say } from '../../packages/db/src/terminal.ts';
import { startDrive } from '../model/drive.ts';
import { createChance } from '../support/chance.ts';
import { waitFor } from '../support/wait.ts';
import { type Kill, kill } from './kill.ts';
import { type Kind, kinds } from './kinds.ts';
import { watchMemory } from './memory.ts';
import { startNeighbours, type Visit } from './neighbours.ts';
import { readOptions, type SoakOptions, usage } from './options.ts';
import { type SoakReport, sumUp, surroundings, textOf } from './report.ts';
import { makeFolder, type Stage, setStage } from './stage.ts';
import { judge } from './verdict.ts';

/** Restaurants, and callers of each. */
const crowd = { restaurants: 3, callers: 4 };
/** Calls that a caller makes on average between two pauses. */
const callsPerRound = 2;
/** Above this, two hours of it could no longer be compared one by one in memory. */
const highestRate = 25;
/** A machine that is slow may need so much longer for the kills that were asked for. */
const longestOvertimeMs = 600_000;
/** Between one recovery and the next kill. */
const longestRestMs = 5_000;

/**
 * `npm test -- --suite soak [options]`: runs everything that `npm start` runs, twice, on one database, under a steady load, with
 * a kill a minute and bad neighbors; at the end, or when `signal` aborts, compares an independent model with the
 * database and with the deliveries that a consumer received, and prints the figures. Loopback only. Returns the exit code: 1 when
 * anything was lost, duplicated or unexplained.
 */
export async function main(words: readonly string[], signal: AbortSignal): Promise<number> {
  const options = readOptions(words);
  if (options === undefined) {
    say(usage.trimEnd().split('\n'));
    return 0;
  }
  const known = kinds.map(({ id }) => id);
  const strange = options.kinds.filter((id) => !known.includes(id));
  if (strange.length > 0) throw new Error(`--kinds: no ${strange.join()}; there are ${known.join(', ')}`);
  const chosen = kinds.filter(({ id }) => options.kinds.length === 0 || options.kinds.includes(id));
  const directory = makeFolder();
  log(`seed ${options.seed}; starting everything twice, and a consumer, in ${directory}`);
  const stage = await setStage(directory, options.retryDelays);
  let sound = false;
  try {
    const report = await soak(stage, options, chosen, signal);
    say(['', ...textOf(report)]);
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
    sound = report.verdict.complaints.length === 0;
  } finally {
    await stage.close(!sound);
    if (!sound) log(`the logs are in ${stage.directory}`);
  }
  return sound ? 0 : 1;
}

async function soak(
  stage: Stage,
  options: SoakOptions,
  chosen: readonly Kind[],
  signal: AbortSignal,
): Promise<SoakReport> {
  const { traffic } = stage;
  const capacity = options.rate === undefined ? await measureCapacity(stage) : undefined;
  const rate = options.rate ?? Math.min(highestRate, (capacity ?? 0) * 0.3);
  const restaurants = [];
  for (let index = 0; index < crowd.restaurants; index++) restaurants.push(await stage.open(crowd.callers));
  stage.consumer.beFussy();
  const memory = watchMemory(stage);
  const paceMs = (1_000 * crowd.restaurants * crowd.callers * callsPerRound) / rate;
  const before = traffic.answered();
  const began = Date.now();
  log(`load begins: ${rate.toFixed(1)} calls a second${capacity ? ` of ${capacity.toFixed(1)}` : ''}`);
  const driven = startDrive(restaurants, {
    ...{ callers: crowd.callers, seed: options.seed, paceMs, jobEvery: 400 },
  });
  const sendAway = options.alone ? undefined : await startNeighbours(stage, createChance(options.seed + 2));
  const kills = await killInTurn(stage, options, chosen, signal);
  const minutes = Number(((Date.now() - began) / 60_000).toFixed(1));
  const calls = traffic.answered() - before;
  const visits: Visit[] = (await sendAway?.()) ?? [];
  log('load ends; waiting until everything is published');
  await driven.stop();
  await waitFor('everything to be published', async () => (await stage.unfinished()) === 0, {
    ...{ timeoutMs: 240_000, intervalMs: 250 },
  }).catch((error: unknown) => log(String(error)));
  memory.stop();
  const plannedDeaths = kills.filter(({ childDied }) => childDied).length;
  return {
    ...{ ...surroundings(), minutes, seed: options.seed, capacity, rate, calls },
    verdict: await judge(stage, kills, visits, plannedDeaths),
    ...{ byKind: sumUp(kills), visits, memory: memory.rows() },
  };
}

/** Calls a second that are answered and published to the consumer with nothing left over, from a run at full speed. */
async function measureCapacity(stage: Stage): Promise<number> {
  const callers = 8;
  const restaurant = await stage.open(callers);
  const began = performance.now();
  const driven = startDrive([restaurant], { callers, seed: 1 });
  await sleep(5_000);
  await driven.stop();
  await waitFor('the first load to be published', async () => (await stage.unfinished()) === 0, {
    ...{ timeoutMs: 240_000, intervalMs: 50 },
  });
  return driven.answered() / ((performance.now() - began) / 1_000);
}

/** Kills at the pace that was asked for, every kind once before any comes again. */
async function killInTurn(
  stage: Stage,
  { minutes, kills: wanted, killEverySeconds, seed }: SoakOptions,
  chosen: readonly Kind[],
  signal: AbortSignal,
): Promise<Kill[]> {
  const chance = createChance(seed + 1);
  const began = Date.now();
  const kills: Kill[] = [];
  const end = () => {
    const isEnough = kills.filter(({ real }) => real).length >= wanted;
    return began + minutes * 60_000 + (isEnough ? 0 : longestOvertimeMs);
  };
  let bag: Kind[] = [];
  let nextKill = began + killEverySeconds * 1_000;
  const pause = (until: number) =>
    sleep(Math.max(0, until - Date.now()), undefined, { signal }).catch(() => {});
  while (!signal.aborted) {
    await pause(Math.min(end(), nextKill + chance.between(0, 2_000)));
    if (signal.aborted || Date.now() >= end()) break;
    if (bag.length === 0) bag = [...chosen];
    const [kind] = bag.splice(chance.between(0, bag.length - 1), 1);
    if (kind === undefined) break;
    const one = await kill(stage, kind, chance);
    kills.push(one);
    log(`${since(began)} ${describe(one)}`);
    const rest = Math.min(longestRestMs, (killEverySeconds * 1_000) / 2);
    nextKill = Math.max(nextKill + killEverySeconds * 1_000, Date.now() + rest);
  }
  return kills;
}

function describe({ kind, calls, deliveries, servedMs, deliveredMs, complaints }: Kill): string {
  const after = (what: string, ms: number | undefined) =>
    ms === undefined ? '' : `, ${what} after ${(ms / 1_000).toFixed(1)} s`;
  const met = `${calls} calls and ${deliveries} deliveries in hand`;
  return [
    `${kind}: ${met}${after('served', servedMs)}${after('delivered', deliveredMs)}`,
    ...complaints.map((line) => `COMPLAINT: ${line}`),
  ].join('\n');
}

const since = (began: number) => {
  const seconds = Math.round((Date.now() - began) / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

function log(line: string): void {
  note(line.split('\n'));
}
