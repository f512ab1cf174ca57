import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Database, openDatabase } from '@comanda/db';
import { postmasterOf, readInstance } from '../../packages/embedded/src/instance.ts';
import { embeddedUrl } from '../../packages/embedded/src/server.ts';
import { type Consumer, startConsumer } from '../faults/support/consumer.ts';
import type { Restaurant } from '../model/restaurant.ts';
import { openAt } from '../model/service.ts';
import { type Run, serving, startRun, unusedPort } from '../start/run.ts';
import { makeTestFolder } from '../support/folder.ts';
import { childrenOf, memoryOf, runsBundle, signalTo } from './process-tree.ts';

/** `npm start`, under one name over all its lives. */
export interface Start {
  name: string;
  /** Where its API answers, in every life. */
  url: string;
  /** The process that runs the bundle under it; 0 between two lives. */
  child(bundle: 'api' | 'worker'): number;
  begin(): Promise<void>;
  /** Ends it, and waits until everything under it has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** How often it said that a child died. */
  deaths(): number;
}

/** Two `npm start` on one database, which the first one runs; restaurants that call both in turn; a consumer. */
export interface Stage {
  starts: readonly [Start, Start];
  consumer: Consumer;
  restaurants: Restaurant[];
  databaseUrl: string;
  /** The same for edits by hand. */
  superuserUrl: string;
  database: Database;
  /** PostgreSQL's main process; 0 while it does not run. */
  postmaster(): number;
  /** MiB of each part. */
  memory(): Record<string, number>;
  close(): Promise<void>;
}

/** Sets it. @throws {Error} when a part of it does not start. */
export async function setStage(options: { restaurants: number; callers: number }): Promise<Stage> {
  const directory = makeTestFolder('soak');
  const dataDir = join(directory, 'data');
  const common = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    // So soon that within the run everything is delivered or dead.
    WEBHOOK_TARGETS: 'any',
    WEBHOOK_RETRY_DELAYS: '2,5,15,30',
    LOG_LEVEL: 'warn',
  };
  const first = await prepare('first', dataDir, common);
  await first.begin();
  const urlOf = async (role?: 'owner' | 'superuser') => (await embeddedUrl(dataDir, role)) ?? '';
  const databaseUrl = await urlOf();
  const second = await prepare('second', join(directory, 'data-of-second'), {
    ...common,
    DATABASE_URL: databaseUrl,
    DATABASE_OWNER_URL: await urlOf('owner'),
  });
  await second.begin();
  const database = openDatabase({ url: databaseUrl, poolSize: 3, applicationName: 'comanda.test' });
  const consumer = await startConsumer();
  const starts = [first, second] as const;
  let turn = 0;
  const target = async () => starts[turn++ % 2]?.url ?? '';
  const restaurants: Restaurant[] = [];
  for (let index = 0; index < options.restaurants; index++)
    restaurants.push(await openAt(database, { target, consumer, callers: options.callers }));
  const place = readInstance(dataDir);
  const postmaster = () => (place && postmasterOf(place)) ?? 0;
  return {
    starts,
    consumer,
    restaurants,
    databaseUrl,
    superuserUrl: await urlOf('superuser'),
    database,
    postmaster,
    memory() {
      const server = [postmaster(), ...childrenOf(postmaster())];
      const pids = starts.flatMap(({ name, child }) =>
        (['api', 'worker'] as const).map((bundle) => [`${bundle} of the ${name}`, [child(bundle)]] as const),
      );
      return Object.fromEntries(
        [...pids, ['PostgreSQL', server] as const].map(([name, all]) => [
          name,
          Math.round(all.reduce((sum, pid) => sum + memoryOf(pid), 0)),
        ]),
      );
    },
    async close() {
      for (const restaurant of restaurants) restaurant.close();
      await database.close();
      await second.end('SIGTERM');
      await first.end('SIGTERM');
      await consumer.close();
    },
  };
}

async function prepare(name: string, dataDir: string, env: Record<string, string>): Promise<Start> {
  const port = await unusedPort();
  const lives: Run[] = [];
  const pid = () => {
    const child = lives.at(-1)?.process;
    return child === undefined || child.exitCode !== null || child.signalCode !== null ? 0 : (child.pid ?? 0);
  };
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    child: (bundle) => (pid() && childrenOf(pid()).find((child) => runsBundle(child, bundle))) ?? 0,
    async begin() {
      const run = startRun({ dataDir, port, env });
      lives.push(run);
      await serving(run);
    },
    end: async (signal) => signalTo([pid()], signal, [pid(), ...childrenOf(pid())]),
    deaths: () =>
      lives.reduce((sum, run) => sum + (run.output().match(/ (api|worker) died \(/g)?.length ?? 0), 0),
  };
}
