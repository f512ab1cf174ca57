import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startConsumer } from '../faults/support/consumer.ts';
import { startDrive } from '../model/drive.ts';
import { openRestaurant } from '../model/restaurant.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';
import type { Version } from './trees.ts';

/** The packages of versions on one database, and what is called of them. */
export type Service = Awaited<ReturnType<typeof openService>>;

/** API and worker of a package. */
export interface Processes {
  api: TestProcess;
  worker: TestProcess;
}

const callers = 3;

/** Runs packages on a database, which the package of `first` migrates. */
export async function openService({ url, ownerUrl }: { url: string; ownerUrl: string }, first: Version) {
  const env = {
    DATABASE_URL: url,
    DATABASE_OWNER_URL: ownerUrl,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_TARGETS: 'any',
  };
  const comanda = async (version: Version, ...argv: string[]) => {
    const file = join(version.package, 'dist', 'comanda.js');
    const { PATH, HOME } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, [file, ...argv, '--json'], {
      cwd: version.package,
      env: { PATH, HOME, ...env },
    });
    return JSON.parse(stdout);
  };
  const start = async ({ package: root }: Version): Promise<Processes> => {
    const [api, worker] = await Promise.all(
      (['api', 'worker'] as const).map((entry) =>
        startProcess({ entry, env, root, readyTimeoutMs: 120_000 }),
      ),
    );
    if (api === undefined || worker === undefined) throw new Error('two were started');
    return { api, worker };
  };
  await comanda(first, 'migrate');
  return { comanda, start };
}

/** A load on processes that come and go, and the consumer that hears of it. */
export async function openLoad({ comanda }: Service, version: Version, first: Processes) {
  const consumer = await startConsumer();
  const { id } = await comanda(
    version,
    ...['locations', 'create', '--name', 'Under load', '--timezone', 'America/St_Johns', '--currency', 'CAD'],
  );
  const { key } = await comanda(
    version,
    ...['keys', 'create', '--name', 'ERP', '--permissions', '*', '--location', id],
    ...['--per-minute', '1000000', '--batch-jobs-per-hour', '1000000', '--max-items-per-batch', '5000'],
  );
  let serving: Processes | undefined = first;
  const target = () => waitFor('a version that serves', async () => serving?.api.url, { timeoutMs: 120_000 });
  const restaurant = await openRestaurant({ target, locationId: id, key, consumer, callers });
  // The release before serves, too.
  const habits = { paceMs: 10, jobEvery: 60, jobItems: [5, 20], plain: true } as const;
  const driven = startDrive([restaurant], { callers, seed: 12, ...habits });
  return {
    consumer,
    restaurant,
    driven,
    /** Holds the next calls back and stops these, which finish what is in flight. */
    async end(processes: Processes) {
      serving = undefined;
      await stop(processes);
    },
    /** Has these answer the calls. */
    serveBy(processes: Processes) {
      serving = processes;
    },
    /** Waits for another thirty answers. */
    async goOn() {
      const wanted = driven.answered() + 30;
      await waitFor('the load to get on', () => driven.answered() >= wanted, { timeoutMs: 90_000 });
    },
  };
}

/** Stops both, which finish what is in flight. */
export const stop = ({ api, worker }: Processes) => Promise.all([api.stop(), worker.stop()]);

/** A call with a key: its status and its data. */
export async function call(url: string | undefined, key: string, route: string, body?: unknown) {
  const [method = '', path] = route.split(' ');
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { data?: unknown };
  return { status: response.status, data: answer.data };
}
