import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Spent } from '../growth/cpu.ts';
import { openFilled } from '../growth/database.ts';
import { readPartitions, removeDay } from '../growth/day.ts';
import { type LoadCost, measureLoads } from '../growth/loads.ts';
import {
  eachLocation,
  type Found,
  measureIdle,
  measureMigrate,
  measureRounds,
  measureScrapes,
  runDoctor,
  tick,
} from '../growth/rounds.ts';
import { type Service, startService, stopService } from '../growth/service.ts';
import { sizes, smallSizes } from '../growth/sizes.ts';
import { figureRow, type Row } from '../result.ts';
import type { Part, PartContext } from './part.ts';

const gib = 1024 ** 3;
/** The disk that the databases take, with all that is written while they are filled. */
const neededGiB = 45;

/** The same work in a database of 10,000 locations and 5,000,000 orders as in one of 100 and 50,000, in turns. */
export const growth: Part = {
  name: 'growth',
  summary:
    '10,000 locations and 5,000,000 orders in one database, compared with 100 and 50,000 (hours, 45 GiB)',
  onlyByName: true,
  lacks(small) {
    if (small) return undefined;
    const { bavail, bsize } = statfsSync(folderOf() ?? tmpdir());
    const free = (bavail * bsize) / gib;
    return folderOf() === undefined && free < neededGiB
      ? `${neededGiB} GiB of disk, and ${free.toFixed(0)} are free`
      : undefined;
  },
  async run(context) {
    const { setup, small, log } = context;
    const directory = (small ? undefined : folderOf()) ?? join(setup.directory, 'growth');
    const filled = await openFilled(directory, small ? smallSizes : sizes, log);
    const consumer = await setup.startConsumer();
    const pair = ['few', 'many'] as const;
    try {
      const services: Service[] = [];
      for (const name of pair)
        services.push(
          await startService(setup, {
            ...{ name, url: filled.urls[name], hook: `${consumer.url}/hook` },
            count: small ? 4 : 100,
          }),
        );
      const beside = await measureBeside(context, services);
      const [, many] = services;
      const day = many === undefined ? undefined : await removeDay(many);
      const reads = many === undefined ? [] : await readPartitions(many, small ? 5 : 500);
      await Promise.all(services.map(stopService));
      const alone = await measureAlone(filled, context);
      log(JSON.stringify({ day, reads }));
      return [...rowsOf(beside.costs), ...[...beside.found, ...alone].map(rowOf)];
    } finally {
      await Promise.all([consumer.stop(), filled.stop()]);
    }
  },
};

/** A folder that was filled before, and is kept. */
const folderOf = () => process.env.GROWTH_FOLDER;

async function measureBeside({ small, log }: PartContext, services: readonly Service[]) {
  const turns = small ? 1 : 3;
  await measureIdle(services, small ? 100 : 5_000);
  const idle = await measureIdle(services, small ? 200 : 30_000);
  const costs = await measureLoads(services, idle, { turns, small, log });
  const of = (name: string, floor: number, figure: (service: Service) => number): Found => {
    const values = { few: 0, many: 0 };
    for (const service of services) values[service.name] = figure(service);
    return { name, unit: 'ms', values, floor };
  };
  const parts = [
    ['API', 'api'],
    ['worker', 'worker'],
  ] as const;
  const found = [
    ...parts.flatMap(([name, part]) => [
      of(`a start of the ${name}: its own`, tick, ({ start }) => start[part]),
      of(`a start of the ${name}: PostgreSQL`, tick, ({ start }) => start[`${part}Postgres`]),
      of(
        `a second at rest of the ${name}: its own`,
        leastAtRest,
        ({ name: side }) => idle[side][part] * 1_000,
      ),
      of(
        `a second at rest of the ${name}: PostgreSQL`,
        leastAtRest,
        ({ name: side }) => idle[side][`${part}Postgres`] * 1_000,
      ),
    ]),
    ...(await measureRounds(services, small ? 1 : 3)),
    ...(await measureScrapes(services, small ? 2 : 50)),
  ];
  for (const { name, unit, values } of found)
    log(`${name}: ${values.few.toFixed(3)} and ${values.many.toFixed(3)} ${unit}`);
  return { costs, found };
}

/** The cost of commands while no service runs. */
async function measureAlone(
  { urls, postmaster }: Awaited<ReturnType<typeof openFilled>>,
  { log }: PartContext,
): Promise<Found[]> {
  const doctor = { few: 0, many: 0 };
  const migrated = { few: 0, many: 0 };
  const notes: string[] = [];
  for (const name of ['few', 'many'] as const) {
    migrated[name] = await measureMigrate(urls[name], postmaster);
    const { ms, seconds, text } = await runDoctor(urls[name], postmaster);
    doctor[name] = ms;
    const wrong = text.match(/^WRONG.*$/gm) ?? [];
    notes.push(`${seconds.toFixed(1)} s, ${/\((looked at [^)]*)\)/.exec(text)?.[1] ?? ''}`);
    log(`doctor, ${name}: ${ms} ms of PostgreSQL; ${notes.at(-1)}; ${wrong.join('; ')}`);
  }
  return [
    {
      ...{ name: 'comanda doctor: PostgreSQL', unit: 'ms', values: doctor },
      ...{ most: eachLocation, note: notes.join(' and ') },
    },
    { name: 'a migration with nothing to do: PostgreSQL', unit: 'ms', values: migrated, floor: tick },
  ];
}

/** In ms of each second: a thousandth of a core. */
const leastAtRest = 1;

/** The growth that a figure may have where the database grows a hundredfold. */
const most = 1.3;

function rowsOf(costs: readonly LoadCost[]): Row[] {
  return costs.flatMap(({ name, us, events }) => {
    const service = (spent: Spent) => spent.api + spent.apiPostgres;
    const worker = (spent: Spent) => spent.worker + spent.workerPostgres;
    const note = (each: (spent: Spent) => string) =>
      `${each(us.many)} compared with ${each(us.few)} µs (Node + PostgreSQL)`;
    const rows = [
      figureRow(
        'growth',
        `${name}: CPU of 10,000 locations ÷ of 100`,
        { most, unit: '×' },
        service(us.many) / service(us.few),
        note(({ api, apiPostgres }) => `${api.toFixed(0)} + ${apiPostgres.toFixed(0)}`),
      ),
    ];
    if (events.many >= 1)
      rows.push(
        figureRow(
          'growth',
          `its ${events.many.toFixed(1)} events with their deliveries`,
          { most, unit: '×' },
          worker(us.many) / worker(us.few),
          note((spent) => `${spent.worker.toFixed(0)} + ${spent.workerPostgres.toFixed(0)}`),
        ),
      );
    return rows;
  });
}

const rowOf = ({ name, unit, values, note, most: own = most, floor = 0.001 }: Found): Row => {
  const seen = `${values.many.toFixed(2)} compared with ${values.few.toFixed(2)} ${unit}`;
  return figureRow(
    'growth',
    name,
    { most: own, unit: '×' },
    Math.max(values.many, floor) / Math.max(values.few, floor),
    note === undefined ? seen : `${seen}; ${note}`,
  );
};
