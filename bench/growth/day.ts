import { openDatabase } from '@comanda/db';
import pg from 'pg';
import { threadCpuMs } from '../cpu.ts';
import { retain } from './rounds.ts';
import type { Service } from './service.ts';

/** The cost of the removal of a day: CPU of PostgreSQL in ms, and bytes of its log. */
export interface Taken {
  ms: number;
  walBytes: number;
  rows: number;
}

/** The oldest day removed: as retention does, with the vacuum that follows, and as a partition of the same rows would be. */
export interface Day {
  deleted: Taken;
  vacuumed: Taken;
  dropped: Taken;
}

const tables = ['events', 'webhook_deliveries', 'webhook_attempts'] as const;
const timeOf = { events: 'created_at', webhook_deliveries: 'created_at', webhook_attempts: 'attempted_at' };
/** One less than the settings keep. */
const keepDays = 29;

/** Removes the oldest day of what is kept; the days before it are gone. */
export async function removeDay({ url }: Service): Promise<Day> {
  const client = new pg.Client({ connectionString: url, application_name: 'bench-day' });
  await client.connect();
  const worker = openDatabase({
    ...{ url, poolSize: 1, work: 'worker', applicationName: 'comanda-worker-bench' },
  });
  const pidOf = async (on: { query(text: string): Promise<{ rows: { pid: number }[] }> }) =>
    (await on.query('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0;
  const log = async () => {
    const { rows } = await client.query<{ at: string }>('select pg_current_wal_insert_lsn() - $1 as at', [
      '0/0',
    ]);
    return Number(rows[0]?.at ?? 0);
  };
  const take = async (pid: number, work: () => Promise<number>): Promise<Taken> => {
    const [ms, at] = [threadCpuMs(pid), await log()];
    const rows = await work();
    return { ms: threadCpuMs(pid) - ms, walBytes: (await log()) - at, rows };
  };
  try {
    const own = await pidOf(client);
    for (const table of tables)
      await client.query(
        `create table bench_${table} (like ${table} including all);
         insert into bench_${table} select * from ${table} where ${timeOf[table]} < retention_border(${keepDays})`,
      );
    await client.query('checkpoint');
    const dropped = await take(own, async () => {
      await client.query(`drop table ${tables.map((table) => `bench_${table}`).join(', ')}`);
      return tables.length;
    });
    const deleted = await take(await pidOf(worker.pool), () => retain(worker, keepDays));
    const vacuumed = await take(own, async () => {
      for (const table of tables) await client.query(`vacuum ${table}`);
      return tables.length;
    });
    return { deleted, vacuumed, dropped };
  } finally {
    await worker.close();
    await client.end();
  }
}

/** Reads of events of a hundred locations, in a table of its own and in one of a partition a day: µs of PostgreSQL a read. */
export async function readPartitions({ url }: Service, times: number): Promise<PartitionReads[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'bench-partitions' });
  await client.connect();
  try {
    await client.query(makePartitions);
    const { rows: found } = await client.query<{ location_id: string; id: string; number: string }>(
      'select distinct on (location_id) location_id, id, number from bench_plain order by location_id, number',
    );
    const { rows: own } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = own[0]?.pid ?? 0;
    const reads: PartitionReads[] = [];
    for (const { name, text, values } of partitionReads) {
      const us = { plain: 0, partitioned: 0 };
      // The first turn warms up and plans.
      for (let turn = 0; turn <= 3; turn += 1)
        for (const side of ['plain', 'partitioned'] as const) {
          const before = threadCpuMs(pid);
          for (let at = 0; at < times; at += 1) {
            const event = found[at % found.length];
            if (event === undefined) break;
            const query = { name: `${name} ${side}`, text: text.replace('bench_of', `bench_${side}`) };
            await client.query({ ...query, values: values(event) });
          }
          if (turn > 0) us[side] += ((threadCpuMs(pid) - before) * 1_000) / times / 3;
        }
      reads.push({ name, us });
    }
    await client.query('drop table bench_plain, bench_partitioned');
    return reads;
  } finally {
    await client.end();
  }
}

/** A read of events, and what it takes of PostgreSQL in each form of the table. */
export interface PartitionReads {
  name: string;
  us: { plain: number; partitioned: number };
}

const partitionReads: readonly {
  name: string;
  text: string;
  values(event: { location_id: string; id: string; number: string }): unknown[];
}[] = [
  {
    name: 'a page of 50 of the feed',
    text: 'select id, number, body from bench_of where location_id = $1 and number > $2 order by number limit 50',
    values: ({ location_id, number }) => [location_id, number],
  },
  {
    name: 'the newest event',
    text: 'select id, number from bench_of where location_id = $1 order by number desc limit 1',
    values: ({ location_id }) => [location_id],
  },
  {
    name: 'an event by its id',
    text: 'select id, number, body from bench_of where location_id = $1 and id = $2',
    values: ({ location_id, id }) => [location_id, id],
  },
];

const makePartitions = `
  create table bench_plain (like events including all);
  create table bench_partitioned (like events including defaults) partition by range (created_at);
  alter table bench_partitioned add primary key (location_id, created_at, id);
  create index on bench_partitioned (location_id, id);
  create index on bench_partitioned (location_id, number);
  create index on bench_partitioned (location_id, resource_id);
  create index on bench_partitioned (location_id, type, number);
  do $$ begin for day in -2..33 loop
    execute format('create table bench_partitioned_%s partition of bench_partitioned for values from (%L) to (%L)', day + 2,
      date_trunc('day', now()) - make_interval(days => day), date_trunc('day', now()) - make_interval(days => day - 1));
  end loop; end $$;
  insert into bench_plain select e.* from (select id from locations order by id limit 100) l join events e on e.location_id = l.id;
  insert into bench_partitioned select * from bench_plain;
  analyze bench_plain, bench_partitioned`;
