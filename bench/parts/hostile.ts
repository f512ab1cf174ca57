import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { issueKey } from '@comanda/api/services';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { makeOther } from '../company.ts';
import { processCpuMs } from '../cpu.ts';
import type { Attack } from '../hostile/attack.ts';
import { attacks } from '../hostile/attacks.ts';
import { startStatements } from '../hostile/control.ts';
import { makeTarget, type Target } from '../hostile/target.ts';
import { median } from '../load.ts';
import { type Met, openProbe, type Probe } from '../neighbours/probe.ts';
import { settled } from '../operations/stage.ts';
import type { BenchProcess } from '../processes.ts';
import { figureRow, type Row } from '../result.ts';
import type { Setup } from '../setup.ts';
import type { Part, PartContext } from './part.ts';

/** The goal in ms where twice the figure alone is less. */
const leastMs = 100;
/** How often each is measured, alone and with the caller. */
const rounds = 3;
/** Connections on which a caller attacks. */
const usualLanes = 4;
/** The highest p50 next to the caller, as a multiple of p50 next to ten statements of another process. */
const mostTimes = 1.3;

/** Measurements of one attack. */
interface Found {
  alone: Met[];
  beside: Met[];
  /** Next to ten statements of another process, where these are compared. */
  control: Met[];
  /** CPU of the API process for each request of the attacker that no limit refused, in ms. */
  cpuMs: number[];
  answered: Record<string, number>;
}

/** Calls of a location next to a caller of another one that sends the dearest requests as often as its limits allow. */
export const hostile: Part = {
  name: 'hostile',
  summary: 'calls of a location next to a caller that sends the dearest requests that its key allows',
  async run(context) {
    const { setup, small, log } = context;
    const consumer = await setup.startConsumer();
    const target = await makeTarget(setup, small ? 50 : 10_000);
    const own = await makeOther(setup, small ? 50 : 2_000);
    await setup.comanda.pool.query('truncate internal.captured_changes');
    await setup.comanda.pool.query('vacuum analyze');
    const api = await setup.startApi();
    const worker = await setup.startWorker();
    const probe = await openProbe(own, api.url, consumer.url);
    await probe(small ? 0.5 : 5);
    const rows: Row[] = [];
    for (const attack of attacks) {
      const found = await meet(attack, { probe, api, target }, context);
      const row = rowOf(attack, found);
      const compared = attack.isCompared ? [comparedRow(attack, found)] : [];
      for (const made of [row, ...compared]) log(`${made.work}: ${made.figure}; ${made.note}`);
      rows.push(row, ...compared);
    }
    await Promise.all([api.stop(), worker.stop(), consumer.stop()]);
    // The suite has a tenth of it.
    if (!small) rows.push(await everyOperation());
    return rows;
  },
};

/** The operations of the router at a location with all the rows that are promised: the full form of their test. */
async function everyOperation(): Promise<Row> {
  const words = [join(repositoryRoot, 'scripts/test.mjs'), 'tests/attack/whole-location.test.ts'];
  const options = {
    cwd: repositoryRoot,
    env: { ...process.env, COMANDA_TRIALS: 'full' },
    maxBuffer: 1 << 26,
  };
  // It says with its exit code that one of them failed.
  const { stdout } = await promisify(execFile)(process.execPath, words, options).catch(
    (error: { stdout: string }) => error,
  );
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(stdout) ?? [];
  if (passed === undefined) throw new Error(`the operations were not measured: ${stdout.slice(-1_000)}`);
  const all = Number(passed) + Number(failed);
  const work = 'operations of the router, at a whole location, that stop the event loop for 50 ms at most';
  return figureRow('hostile', work, { least: 1, unit: '' }, Number(passed) / all, `${passed} of ${all}`);
}

async function meet(
  attack: Attack,
  { probe, api, target }: { probe: Probe; api: BenchProcess; target: Target },
  { setup, small, effort }: PartContext,
): Promise<Found> {
  const found: Found = { alone: [], beside: [], control: [], cpuMs: [], answered: {} };
  const seconds = small ? 0.2 : 5;
  for (let round = 0; round < Math.min(rounds, effort.repeats); round += 1) {
    const cpu = { alone: processCpuMs(api.pid), beside: 0 };
    found.alone.push(await probe(seconds));
    cpu.alone = processCpuMs(api.pid) - cpu.alone;
    if (attack.isCompared) {
      const end = await startStatements(setup.comandaUrl, target);
      await sleep(200);
      found.control.push(await probe(seconds));
      await end();
    }
    // A new key each time: it can spend the requests of its minute and the jobs of its hour at once.
    const attacker = await startAttack(attack, setup, { api, target, small });
    cpu.beside = processCpuMs(api.pid);
    await sleep(200);
    const met = probe(seconds);
    // It ends with the last call of the probe, however long the answers take.
    await sleep(seconds * 1_000);
    const answered = await attacker.end();
    found.beside.push(await met);
    cpu.beside = processCpuMs(api.pid) - cpu.beside;
    for (const [status, count] of Object.entries(answered))
      found.answered[status] = (found.answered[status] ?? 0) + count;
    const admitted = Object.entries(answered).reduce(
      (sum, [status, count]) => sum + (/429|503/.test(status) ? 0 : count),
      0,
    );
    if (admitted > 0) found.cpuMs.push((cpu.beside - cpu.alone) / admitted);
    // The process finishes the attacker's last requests before the next round.
    await probe(small ? 0.1 : 0.5);
    await settled(setup);
  }
  return found;
}

async function startAttack(
  { method, path, headers = {}, body, lanes = usualLanes, isOfEmpty = false }: Attack,
  setup: Setup,
  { api, target, small }: { api: BenchProcess; target: Target; small: boolean },
): Promise<{ end(): Promise<Record<string, number>> }> {
  const { key } = await issueKey(setup.comanda, {
    ...{
      name: 'hostile',
      permissions: ['*'],
      location_id: isOfEmpty ? target.emptyLocationId : target.locationId,
    },
  });
  const file = (name: string) => join(setup.directory, name);
  if (body !== undefined) writeFileSync(file('hostile-body'), body(target, small));
  const attacker = await setup.startAttacker({
    TARGET: JSON.stringify({ url: api.url, method, path, headers }),
    ...{ KEY: key, LANES: String(lanes), REPORT: file('hostile-report') },
    ...(body !== undefined && { BODY: file('hostile-body') }),
  });
  return {
    async end() {
      await attacker.stop();
      return JSON.parse(readFileSync(file('hostile-report'), 'utf8')) as Record<string, number>;
    },
  };
}

/** The median of the rounds. */
const of = (met: readonly Met[], what: 'apiMs' | 'apiMedianMs'): number =>
  median(met.map((one) => one[what]));

function rowOf({ name }: Attack, { alone, beside, cpuMs, answered }: Found): Row {
  const [first, ...more] = beside.flatMap(({ failures }) => failures);
  const failed =
    first === undefined ? '' : `; ${more.length + 1} calls failed, the first: ${first.slice(0, 200)}`;
  const statuses = Object.entries(answered)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');
  const cpu = cpuMs.length === 0 ? '' : `; ${median(cpuMs).toFixed(1)} ms of the API's CPU each`;
  const note = `alone ${ms(of(alone, 'apiMs'))}; p50 ${ms(of(beside, 'apiMedianMs'))}, alone ${ms(of(alone, 'apiMedianMs'))}; highest p99 ${ms(Math.max(...beside.map(({ apiMs }) => apiMs)))}; answered ${statuses || 'none in time'}${cpu}${failed}`;
  const most = Math.round(Math.max(2 * of(alone, 'apiMs'), leastMs));
  const row = figureRow(
    'hostile',
    `calls with ${name}, p99`,
    { most, unit: ' ms' },
    of(beside, 'apiMs'),
    note,
  );
  return { ...row, met: row.met && first === undefined };
}

function comparedRow({ name }: Attack, { beside, control }: Found): Row {
  return figureRow(
    'hostile',
    `calls with ${name}, p50 as against ten statements that read as much`,
    { most: mostTimes, unit: ' x' },
    of(beside, 'apiMedianMs') / of(control, 'apiMedianMs'),
    `p50 ${ms(of(beside, 'apiMedianMs'))}, with the statements ${ms(of(control, 'apiMedianMs'))}; p99 ${ms(of(beside, 'apiMs'))}, with the statements ${ms(of(control, 'apiMs'))}`,
  );
}

const ms = (value: number) => `${value.toFixed(0)} ms`;
