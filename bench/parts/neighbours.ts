import { setTimeout as sleep } from 'node:timers/promises';
import { makeOther } from '../company.ts';
import { median } from '../load.ts';
import type { Neighbour, Scene } from '../neighbours/neighbour.ts';
import { neighbours as all } from '../neighbours/neighbours.ts';
import { type Met, openProbe, type Probe } from '../neighbours/probe.ts';
import { openScenes, type Scenes } from '../neighbours/scenes.ts';
import { figureRow, type Row } from '../result.ts';
import type { Part, PartContext } from './part.ts';

/** The figures of a location alone, next to a neighbor, and next to the same work in a database that is not watched. */
type How = 'alone' | 'unwatched' | 'beside';
type Found = Record<How, Met[]> & { answers: Answered[] };

/** How long a call of the neighbor itself took. */
interface Answered {
  how: How;
  work: string;
  ms: number;
}

/** Of many rows a check makes so many. */
const fewRows = 500;

/**
 * The effect of others on a location that goes on with its work: its calls and its events next to each bad neighbor.
 */
export const neighbours: Part = {
  name: 'neighbours',
  summary: 'calls and events of a location next to bad neighbors',
  async run(context) {
    const { setup, small, log } = context;
    const consumer = await setup.startConsumer();
    const scenes = await openScenes(setup, consumer.url, small ? 50 : 10_000);
    const own = await makeOther(setup, small ? 50 : 2_000);
    const probe = await openProbe(own, scenes.here.apiUrl, consumer.url);
    await probe(small ? 0.5 : 5);
    const rows: Row[] = [];
    for (const neighbour of all) {
      const found = await meet(neighbour, probe, scenes, context);
      const pair = rowsOf(neighbour, found);
      for (const { work, figure, note } of pair) log(`${work}: ${figure}; ${note}`);
      const failures = found.beside.flatMap((met) => met.failures);
      if (small && failures.length > 0) throw new Error(`calls failed: ${failures.join(', ')}`);
      rows.push(...pair);
    }
    await scenes.close();
    await consumer.stop();
    return rows;
  },
};

async function meet(
  neighbour: Neighbour,
  probe: Probe,
  { here, unwatched }: Scenes,
  { effort, small }: PartContext,
): Promise<Found> {
  const found: Found = { alone: [], unwatched: [], beside: [], answers: [] };
  const size = small ? fewRows : (neighbour.size ?? 0);
  const calmSeconds = small ? 0.2 : 5;
  const seconds = small ? 0.2 : (neighbour.lastingSeconds ?? calmSeconds);
  // It begins while the probe is at work, and has ended before the next one begins.
  const measure = async (how: How, scene: Scene | undefined, times: number) => {
    const begin = scene && (await neighbour.prepare(scene, size));
    const first = probe(scene ? seconds : calmSeconds);
    await sleep(200);
    const end = await begin?.(async (work, call) => {
      const began = performance.now();
      await call();
      found.answers.push({ how, work, ms: performance.now() - began });
    });
    found[how].push(await first);
    for (let time = 1; time < times; time += 1) found[how].push(await probe(scene ? seconds : calmSeconds));
    await end?.();
  };
  const [rounds, times] = neighbour.lastingSeconds ? [1, effort.repeats] : [effort.repeats, 1];
  for (let round = 0; round < rounds; round += 1) {
    await measure('alone', undefined, times);
    await measure('unwatched', unwatched, times);
    await measure('beside', here, times);
  }
  return found;
}

function rowsOf({ name, size, arrivalMs }: Neighbour, found: Found): Row[] {
  const rows = size === undefined ? '' : ` (${size.toLocaleString('en')})`;
  const of = (how: How, what: 'apiMs' | 'arrivalMs') => median(found[how].map((met) => met[what]));
  const row = (work: string, what: 'apiMs' | 'arrivalMs', most: number): Row => {
    const [first, ...more] = found.beside.flatMap(({ failures }) => failures);
    const failed = first === undefined ? '' : `; ${more.length + 1} calls failed, the first: ${first}`;
    const note = `alone ${ms(of('alone', what))}; the same in an unwatched database ${ms(of('unwatched', what))}; highest ${ms(Math.max(...found.beside.map((met) => met[what])))}${failed}`;
    const held = figureRow(
      'neighbours',
      `${work} with ${name}${rows}, p99`,
      { most, unit: ' ms' },
      of('beside', what),
      note,
    );
    return { ...held, met: held.met && first === undefined };
  };
  const without = Math.max(of('alone', 'apiMs'), of('unwatched', 'apiMs'));
  return [
    row('calls', 'apiMs', Math.round(Math.max(2 * without, without + 30))),
    row('commit to arrival', 'arrivalMs', arrivalMs),
    ...answerRows(found.answers, rows),
  ];
}

function answerRows(answers: readonly Answered[], size: string): Row[] {
  return [...new Set(answers.map(({ work }) => work))].map((work) => {
    const of = (how: How) =>
      answers.filter((one) => one.work === work && one.how === how).map((one) => one.ms);
    const beside = of('beside');
    const note = `${beside.length} of them, the slowest ${ms(Math.max(...beside))}; in an unwatched database ${ms(median(of('unwatched')))}`;
    return figureRow(
      'neighbours',
      `${work}${size}: answered`,
      { most: 100, unit: ' ms' },
      median(beside),
      note,
    );
  });
}

const ms = (value: number) => `${value.toFixed(0)} ms`;
