import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocation, issueKey } from '@comanda/api/services';
import { type Database, openDatabase } from '@comanda/db';
import { freePort } from '../../packages/db/src/processes/port.mjs';
import { type Instance, postmasterOf, readInstance } from '../../packages/embedded/src/instance.ts';
import { embeddedUrl } from '../../packages/embedded/src/server.ts';
import { openRestaurant, type Restaurant } from '../model/restaurant.ts';
import { type ConsumerProcess, startConsumerProcess } from './consumer-process.ts';
import { type Journal, openJournal } from './journal.ts';
import { gone, signalTo } from './process-tree.ts';
import { prepareRun, type StartRun } from './start-run.ts';
import { type Traffic, watchTraffic } from './traffic.ts';

/** Everything that runs: two `npm start` on one database, the first of which owns it, and a consumer. */
export interface Stage {
  /** Logs and journal; the data is in the same folder until the end. */
  directory: string;
  /** The first runs the embedded PostgreSQL, the second uses it; each has an API and a worker. */
  runs: readonly [StartRun, StartRun];
  consumer: ConsumerProcess;
  journal: Journal;
  databaseUrl: string;
  /** The same database for manual edits. */
  superuserUrl: string;
  database: Database;
  restaurants: Restaurant[];
  traffic: Traffic;
  /** PostgreSQL's main process; undefined while it does not run. */
  postmaster(): number | undefined;
  /** Opens another restaurant, whose key has no bounds that matter. */
  open(callers: number): Promise<Restaurant>;
  /** Changes that wait, deliveries that are not over, sync jobs that are not done. */
  unfinished(): Promise<number>;
  /** Ends all processes and removes the data; leaves the logs when asked. */
  close(keepLogs: boolean): Promise<void>;
}

/** A new folder for one. */
export function makeFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'comanda-soak-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(directory, 0o711);
  return directory;
}

/** Sets it. @throws {Error} with what was said, when a part of it does not start. */
export async function setStage(directory: string, retryDelays: string): Promise<Stage> {
  const dataDir = join(directory, 'data');
  const common = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ...{ WEBHOOK_TARGETS: 'any', WEBHOOK_RETRY_DELAYS: retryDelays, SEED_DEMO: 'false', LOG_LEVEL: 'warn' },
  };
  const start = async (name: string, preferredPort: number, env: NodeJS.ProcessEnv) => {
    const port = await freePort(preferredPort);
    const run = prepareRun(name, port, { ...common, ...env }, join(directory, `${name}.log`));
    started.push(run);
    await run.start();
    return run;
  };
  const started: StartRun[] = [];
  try {
    const first = await start('first', 21_000 + (process.pid % 4_000), { DATA_DIR: dataDir });
    const databaseUrl = await embeddedUrl(dataDir);
    const ownerUrl = await embeddedUrl(dataDir, 'owner');
    const superuserUrl = await embeddedUrl(dataDir, 'superuser');
    const place = readInstance(dataDir);
    if (databaseUrl === null || ownerUrl === null || superuserUrl === null || place === null)
      throw new Error('there is no database');
    const second = await start('second', 26_000 + (process.pid % 4_000), {
      ...{ DATABASE_URL: databaseUrl, DATABASE_OWNER_URL: ownerUrl },
      DATA_DIR: join(directory, 'data-of-second'),
    });
    return await furnish({ directory, runs: [first, second], databaseUrl, superuserUrl, place, dataDir });
  } catch (error) {
    for (const run of started.toReversed()) await run.stop();
    throw error;
  }
}

async function furnish(
  built: Pick<Stage, 'directory' | 'runs' | 'databaseUrl' | 'superuserUrl'> & {
    place: Instance;
    dataDir: string;
  },
): Promise<Stage> {
  const { directory, runs, databaseUrl, superuserUrl, place, dataDir } = built;
  const [first, second] = runs;
  const journalFile = join(directory, 'arrivals.jsonl');
  const consumer = await startConsumerProcess(journalFile);
  const database = openDatabase({ url: databaseUrl, poolSize: 3, applicationName: 'comanda-soak' });
  const restaurants: Restaurant[] = [];
  const traffic = watchTraffic([first.url, second.url]);
  return {
    ...{ directory, runs, consumer, databaseUrl, superuserUrl, database, restaurants, traffic },
    journal: openJournal(journalFile),
    postmaster: () => postmasterOf(place) ?? undefined,
    async open(callers) {
      const { target, observe } = traffic;
      const at = { ...(await makeTenant(database)), consumer, callers, target, observe };
      const restaurant = await openRestaurant(at);
      restaurants.push(restaurant);
      return restaurant;
    },
    unfinished: () => countUnfinished(database),
    async close(keepLogs) {
      const failures: unknown[] = [];
      const steps = [() => database.close(), second.stop, first.stop, consumer.kill, () => endServer(place)];
      for (const step of steps) await step().catch((error: unknown) => failures.push(error));
      for (const path of [place.home, keepLogs ? dataDir : directory])
        rmSync(path, { recursive: true, force: true, maxRetries: 5 });
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** For when its supervisor did not live to stop it. */
async function endServer(place: Instance): Promise<void> {
  const postmaster = postmasterOf(place);
  if (postmaster === null) return;
  signalTo(postmaster, 'SIGINT');
  await gone([postmaster], 30_000);
}

async function makeTenant(database: Database): Promise<{ locationId: string; key: string }> {
  const { id } = await createLocation(database, {
    ...{ name: 'Soak', timezone: 'America/St_Johns', currency: 'CAD' },
  });
  const { key } = await issueKey(database, {
    ...{ name: 'soak', permissions: ['*'], location_id: id },
    ...{ per_minute: 1_000_000_000, monthly: 1_000_000_000 },
    ...{ batch_jobs_per_hour: 1_000_000, max_items_per_batch: 5_000 },
  });
  return { locationId: id, key };
}

async function countUnfinished({ pool }: Database): Promise<number> {
  // One statement, so one snapshot: between two, an event could be missed by both. Deliveries of a deleted endpoint are
  // cleared away in the worker's own time.
  const { rows } = await pool.query<{ count: number }>(
    `select ((select count(*) from internal.captured_changes)
       + (select count(*) from webhook_deliveries d where d.next_attempt_at is not null
          and exists (select from webhook_endpoints e where e.location_id = d.location_id and e.id = d.endpoint_id))
       + (select count(*) from sync_jobs where status in ('queued', 'processing')))::int as count`,
  );
  return rows[0]?.count ?? 0;
}
