import { openDatabase } from '@comanda/db';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { makeOther } from '../company.ts';
import type { BenchProcess } from '../processes.ts';
import { runSql, type Setup } from '../setup.ts';
import type { Scene } from './neighbour.ts';

/** Comanda as it is, and a second one of the same server: its own database, API and workers. */
export interface Scenes {
  here: Scene;
  /** The same work is done to it, and nothing of it is watched: what it costs others is the machine's. */
  unwatched: Scene;
  close(): Promise<void>;
}

const name = 'unwatched';

/** Opens both, each with two locations of `size` products and orders, one API and two workers. */
export async function openScenes(setup: Setup, consumerUrl: string, size: number): Promise<Scenes> {
  const url = setup.comandaUrl.replace(/\/comanda$/, `/${name}`);
  await runSql(setup.comandaUrl, `create database ${name}`);
  await migrate(url);
  const comanda = openDatabase({ url, poolSize: 4, applicationName: 'comanda-bench' });
  const processes: BenchProcess[] = [];
  const open = async (database: Setup['comanda'], databaseUrl: string): Promise<Scene> => {
    const locations = [
      await makeOther({ comanda: database }, size),
      await makeOther({ comanda: database }, size),
    ] as const;
    await database.pool.query('truncate internal.captured_changes');
    await database.pool.query('vacuum analyze');
    const api = await setup.startApi({ DATABASE_URL: databaseUrl });
    const workers = [
      await setup.startWorker({ DATABASE_URL: databaseUrl }),
      await setup.startWorker({ DATABASE_URL: databaseUrl }),
    ];
    processes.push(api, ...workers);
    return {
      ...{ database, databaseUrl, apiUrl: api.url, locations, workers: workers.map(({ pid }) => pid) },
      hangUrl: consumerUrl,
      async letGo() {
        await (await fetch(`${consumerUrl}/let-go`)).arrayBuffer();
      },
    };
  };
  const here = await open(setup.comanda, setup.comandaUrl);
  await comanda.pool.query(dropCapture);
  const unwatched = await open(comanda, url);
  return {
    here,
    unwatched,
    async close() {
      await Promise.all(processes.map((one) => one.stop()));
      await comanda.close();
      await runSql(setup.comandaUrl, `drop database ${name} with (force)`);
    },
  };
}

const dropCapture = `do $$ declare one record; begin
    for one in select tgname, tgrelid::regclass::text as relation from pg_trigger
      where not tgisinternal and tgname like 'capture%' loop
      execute format('drop trigger %I on %s', one.tgname, one.relation);
    end loop;
  end $$`;
