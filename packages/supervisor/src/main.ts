import { setTimeout as sleep } from 'node:timers/promises';
import { checkPort, localUrl, type Settings, stoppingIn } from '@comanda/db';
import {
  fileVariable,
  readSettings,
  secrets,
  settingWarnings,
  strangeVariable,
  strangeVariables,
} from '@comanda/db/configuring';
import { complain } from '@comanda/db/terminal';
import { type Child, runOnce, superviseChild } from './child.ts';
import { migrateDatabase, migrateOnce, type RunningDatabase, startDatabase } from './database.ts';
import { keptEncryptionKey } from './encryption-key.ts';
import { openProgress, type Progress, printWelcome } from './progress.ts';
import { buildSiteBeside, type SiteBuild } from './site.ts';

const seedPatienceMs = 5_000;

/** The started processes, for `npm run dev`. */
export interface Started {
  /** Starts a child again, which is named after its bundle; another name does nothing. */
  restart(name: string): void;
  /**
   * Applies the SQL as it is now, as a start does.
   * @throws {MigrationError} it is refused; what serves goes on with what it had.
   */
  applySql(): Promise<void>;
}

/**
 * Runs everything until `signal` aborts, then drains and stops it; gives the exit code. `onStarted` is called once API
 * and worker have been started. Order: database, migrations, then API, worker and demo data side by side, then the site of the documents; stopping goes
 * the other way.
 * Any fault is reported in one line on stderr (exit code 1), after stopping the started processes.
 */
export async function main(signal: AbortSignal, onStarted?: (started: Started) => void): Promise<number> {
  const progress = openProgress();
  const running: Running = { drainSeconds: 0, children: [], database: null, seeding: null, site: null };
  let code = 0;
  try {
    await run(running, progress, signal, onStarted);
  } catch (error) {
    if (!signal.aborted) {
      complain('comanda', error instanceof Error ? error.message : String(error));
      code = 1;
    }
  }
  return (await stop(running, progress)) ? code : 1;
}

/** The started parts that must be stopped. */
interface Running {
  drainSeconds: number;
  children: Child[];
  database: RunningDatabase | null;
  seeding: Promise<unknown> | null;
  site: SiteBuild | null;
}

async function run(
  running: Running,
  progress: Progress,
  signal: AbortSignal,
  onStarted?: (started: Started) => void,
): Promise<void> {
  const began = performance.now();
  const settings = readSettings(process.env);
  running.drainSeconds = settings.drainSeconds;
  for (const each of strangeVariables(process.env)) progress.note(`warning: ${strangeVariable(each)}`);
  for (const each of settingWarnings(settings)) progress.note(`warning: ${each}`);
  const stopAsked = new Promise<'stop'>((resolve) => {
    signal.addEventListener('abort', () => resolve('stop'), { once: true });
  });
  const database = await startDatabase(settings, progress);
  running.database = database;
  await checkPort(settings.host, settings.port);
  signal.throwIfAborted();
  await migrateDatabase(database, settings, progress, signal);
  signal.throwIfAborted();

  const encryptionKey = settings.encryptionKey ?? keptEncryptionKey(settings.dataDir);
  const env = childEnvironment(settings, database, encryptionKey, progress);
  let url: string | undefined;
  const announce = () => {
    const marks = running.children.map((child) => child.mark()).filter((mark) => mark !== null);
    database.announce({ ...(url && { url }), children: marks });
  };
  const start = (name: string) => {
    const child = superviseChild({ name, env, log: progress.note, onChange: () => setImmediate(announce) });
    running.children.push(child);
    return child;
  };
  const api = start('api');
  const worker = start('worker');
  const children = new Map([
    ['api', api],
    ['worker', worker],
  ]);
  onStarted?.({
    restart: (name) => children.get(name)?.restart(),
    applySql: () => migrateOnce(database, settings, progress),
  });
  const failed = Promise.race([api.failed, worker.failed]);
  const seeded = seed(settings, database, env, progress);
  running.seeding = seeded;

  const allReady = Promise.all([
    progress.step('API', () => api.ready),
    seeded,
    progress.step('worker', () => worker.ready),
  ]);
  const outcome = await Promise.race([allReady, failed, stopAsked]);
  if (outcome === 'stop') return;
  url = outcome[0] ?? localUrl(settings);
  announce();
  const secondsToReady = (performance.now() - began) / 1000;
  const app = appOf(settings, database);
  printWelcome({ baseUrl: url, ...outcome[1], app, secondsToReady });
  running.site = buildSiteBeside(progress.note);
  await Promise.race([failed, stopAsked]);
}

/** Every child has ended and the database is stopped; false when something had to be cut off. */
async function stop(
  { drainSeconds, children, database, seeding, site }: Running,
  progress: Progress,
): Promise<boolean> {
  const deadline = Date.now() + stoppingIn(drainSeconds).childMs;
  if (children.length > 0) progress.note('stopping: finishing what is in flight');
  const siteStopped = site?.stop();
  const drained = await Promise.all(children.map((child) => child.stop(deadline)));
  await siteStopped;
  await Promise.race([seeding?.catch(() => {}), sleep(seedPatienceMs, null, { ref: false })]);
  if (drained.includes(false)) progress.note('not everything was finished in time');
  try {
    await database?.stop();
  } catch (error) {
    complain('comanda', error instanceof Error ? error.message : String(error));
    return false;
  }
  if (children.length > 0) progress.note('stopped');
  return !drained.includes(false);
}

function childEnvironment(
  settings: Settings,
  database: RunningDatabase,
  encryptionKey: string,
  progress: Progress,
): NodeJS.ProcessEnv {
  const targetsUnset = !process.env.WEBHOOK_TARGETS?.trim();
  const anyTarget = database.embedded && targetsUnset;
  if (anyTarget) {
    progress.note('webhooks may go to any address, http included (WEBHOOK_TARGETS=public forbids it)');
  }
  // The contents of the files are in the variables themselves.
  const files = secrets.map((variable) => [fileVariable(variable), undefined]);
  return {
    ...process.env,
    ...Object.fromEntries(files),
    PORT: String(settings.port),
    HOST: settings.host,
    DATA_DIR: settings.dataDir,
    DATABASE_URL: database.url,
    ...(settings.databaseDirectUrl && { DATABASE_DIRECT_URL: settings.databaseDirectUrl }),
    ENCRYPTION_KEY: encryptionKey,
    WEBHOOK_TARGETS: anyTarget ? 'any' : settings.webhookTargets,
    APP: appOf(settings, database),
  };
}

/** The app is served with the embedded database, and elsewhere where it is asked for. */
function appOf({ app }: Settings, { embedded }: RunningDatabase): 'on' | 'off' {
  return app ?? (embedded ? 'on' : 'off');
}

/** Seeds where it is wanted and gives the demo key and a code for the app; null where it is not. */
async function seed(
  settings: Settings,
  database: RunningDatabase,
  env: NodeJS.ProcessEnv,
  progress: Progress,
): Promise<Demo> {
  const wanted = settings.seedDemo ?? (database.embedded && settings.nodeEnv !== 'production');
  if (!wanted) return { demoKey: null, appCode: null };
  // History is written as the owner: the service settles no turn except by closing it.
  const asOwner = { ...env, DATABASE_URL: database.ownerUrl };
  return progress.step('demo data', async () => readDemo(await runOnce('seed', asOwner)));
}

/** What the demo data is used by; each null where it was not made. */
interface Demo {
  demoKey: string | null;
  appCode: string | null;
}

/** Reads what prisma/seed/main.ts wrote: no key when the database belongs to others already. */
function readDemo(text: string): Demo {
  const { key, code }: { key?: string; code?: string } = JSON.parse(text);
  return { demoKey: key ?? null, appCode: code ?? null };
}
