import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CommandError } from '@comanda/api/src/command-error.ts';
import { count } from '@comanda/api/src/doctor/check.ts';
import { diagnose } from '@comanda/api/src/doctor/doctor.ts';
import type { Progress } from '@comanda/cli/progress';
import { again, openDatabase, readEncryptionKeyFile, repeat, roleName, type Settings } from '@comanda/db';
import { migrate, migrateQueue } from '@comanda/db/migrating';
import { lastLines, serverAccount } from '@comanda/embedded';
import { abandonMs, compare, type Holding, readHolding } from './compare.ts';
import { copyUrl, makeCopy, stopCopy } from './copy.ts';
import type { CopyTarget } from './copy-target.ts';
import { findPrograms } from './programs.ts';
import { pausedSettings, startPaused } from './service.ts';
import { type Source, sourceOf } from './source.ts';
import { readClock, readDoings } from './statements.ts';

/** The options of a drill. */
export interface DrillOptions {
  /** A dump, the files of a base backup, `pgbackrest:<stanza>`, or the URL of a running database. */
  from: string;
  archive?: string | undefined;
  until?: string | undefined;
  /** The database that the copy is held against. */
  against: string | undefined;
  database: string;
  superuser: string;
  programs?: string | undefined;
  /** Where the copy is made: it needs as much room as the backup and the database. */
  folder?: string | undefined;
}

/** A step of a drill, and what it found. */
export interface Step {
  name: string;
  ok: boolean;
  found: string;
  seconds: number;
}

/** The result of a drill. */
export interface Drill {
  works: boolean;
  seconds: number;
  steps: Step[];
}

/**
 * Restores a backup into a cluster of its own, runs a paused service on it, and removes all again. A step that fails is
 * the last one, and no error. `onProgress` is called with the step under way. @throws {CommandError} for options that cannot
 * be used.
 */
export async function drill(
  environment: NodeJS.ProcessEnv,
  settings: Settings,
  options: DrillOptions,
  onProgress: Progress = () => {},
): Promise<Drill> {
  const source = sourceOf(options.from);
  const key = settings.encryptionKey ?? readEncryptionKeyFile(settings.dataDir);
  if (key === null)
    throw new CommandError(
      'invalid_request',
      'ENCRYPTION_KEY must be set: the secrets of the copy are sealed with it',
    );
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const name of interrupting) process.on(name, interrupt);
  const place = makePlace(source, options, interruption.signal);
  const steps: Step[] = [];
  const begun = performance.now();
  try {
    await allSteps({ environment, settings, key, options, source, place, onProgress }, steps);
  } finally {
    await stopCopy(place).catch(() => {});
    // A process that was ended half-way may write for a moment.
    rmSync(place.home, { recursive: true, force: true, maxRetries: 50, retryDelay: 10 });
    for (const name of interrupting) process.off(name, interrupt);
  }
  return { works: steps.every(({ ok }) => ok), seconds: secondsSince(begun), steps };
}

/** The step under way is ended then, and everything removed. */
const interrupting = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Scene {
  environment: NodeJS.ProcessEnv;
  settings: Settings;
  /** ENCRYPTION_KEY. */
  key: string;
  options: DrillOptions;
  source: Source;
  place: CopyTarget;
  onProgress: Progress;
}

function makePlace(
  source: Source,
  { programs, folder = tmpdir() }: DrillOptions,
  signal: AbortSignal,
): CopyTarget {
  const major = 'major' in source ? source.major : undefined;
  const found = findPrograms(programs, major);
  const home = mkdtempSync(join(resolve(folder), 'comanda-drill-'));
  const account = serverAccount(join(home, 'data'));
  chmodSync(home, 0o700);
  if (account !== null) chownSync(home, account.uid, account.gid);
  return { home, account, programs: found, signal };
}

/** A description of each step under way. */
const doings = {
  restored: 'restoring',
  migrated: 'migrating',
  read: 'reading orders and events',
  started: 'starting an API and a worker',
  published: 'publishing what waited',
  doctor: 'asking doctor',
  sent: 'looking what was sent',
  compared: 'comparing with the original',
} as const;
type StepName = keyof typeof doings;

/** The result of a step: its finding, and whether that is well. */
type Finding = string | { ok: boolean; found: string };

async function allSteps(
  { environment, settings, key, options, source, place, onProgress }: Scene,
  steps: Step[],
): Promise<void> {
  const { databaseRolePrefix: rolePrefix } = settings;
  const step = async (name: StepName, work: () => Promise<Finding>) => {
    onProgress(steps.length, options.against === undefined ? 7 : 8, doings[name]);
    const begun = performance.now();
    const finding = await work().catch((error: unknown) => ({ ok: false, found: reasonOf(error) }));
    const broken = place.signal.aborted ? { ok: false, found: 'interrupted' } : finding;
    const { ok, found } = typeof broken === 'string' ? { ok: true, found: broken } : broken;
    steps.push({ name, ok, found, seconds: secondsSince(begun) });
    if (!ok) throw new Failed();
  };
  const copyOptions = { ...options, source, rolePrefix };
  const urls = { service: '', owner: '' };
  let held: Holding | undefined;
  try {
    await step('restored', async () => {
      await makeCopy(place, copyOptions);
      Object.assign(urls, await urlsOf(place, source, options, rolePrefix));
      return kinds[source.kind];
    });
    await step('migrated', async () => {
      await migrateQueue(urls.owner);
      const { applied, objects } = await migrate(urls.owner, { rolePrefix });
      const made = applied.length + objects.length;
      return made === 0
        ? 'nothing to do'
        : `${applied.length} migrations, ${objects.length} functions and triggers`;
    });
    const copy = openDatabase({
      url: urls.owner,
      poolSize: 2,
      applicationName: 'comanda-drill',
      abandonMs,
    });
    try {
      await step('read', async () => {
        held = await readHolding(copy);
        const orders = held.orders.reduce((sum, each) => sum + each.orders, 0);
        const at = held.newest[0]?.at.toISOString() ?? 'none';
        return `${count(held.orders.length, 'location')} with ${count(orders, 'order')}; newest event ${at}`;
      });
      await runPaused({ environment, key, urls, copy, step });
      const { against } = options;
      if (against !== undefined && held !== undefined) {
        const holding = held;
        await step('compared', () => compared(against, holding, settings.keepEventsDays));
      }
    } finally {
      await copy.close();
    }
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
  }
}

/** A step failed and says so; what follows would only fail with it. */
class Failed extends Error {}

const kinds = {
  running: 'a dump made now',
  dump: 'the dump',
  files: 'the base backup',
  stanza: 'the backup of pgBackRest',
};

/** Where roles are apart, the copy is served by the same; otherwise one role does everything. */
async function urlsOf(place: CopyTarget, source: Source, options: DrillOptions, prefix: string) {
  const { database } = options;
  const [owner, service] = [roleName(prefix, 'owner'), roleName(prefix, 'service')];
  // A cluster that we made ourselves has our superuser.
  const superuser = 'major' in source ? options.superuser : 'postgres';
  const root = openDatabase({
    url: copyUrl(place, superuser, database),
    poolSize: 1,
    applicationName: 'comanda-drill',
  });
  try {
    const { rowCount } = await root.pool.query('select from pg_roles where rolname = any ($1)', [
      [owner, service],
    ]);
    if (rowCount !== 2) {
      const all = copyUrl(place, superuser, database);
      return { owner: all, service: all };
    }
    for (const role of [owner, service]) await root.pool.query(`alter role "${role}" login`);
    return { owner: copyUrl(place, owner, database), service: copyUrl(place, service, database) };
  } finally {
    await root.close();
  }
}

interface Run extends Pick<Scene, 'environment' | 'key'> {
  urls: { service: string; owner: string };
  copy: ReturnType<typeof openDatabase>;
  step(name: StepName, work: () => Promise<Finding>): Promise<void>;
}

/** Hourly jobs were queued last when the backup was made. */
const ofCopy = { cronMinutes: Number.POSITIVE_INFINITY };

/** Changes that waited in a backup are published within that. */
const publishingMs = 60_000;

async function runPaused({ environment, key, urls, copy, step }: Run): Promise<void> {
  const given = pausedSettings(environment, { ...urls, key });
  const [clock] = await copy.run(readClock, []);
  const state = async () => (await copy.run(readDoings, [clock?.now]))[0] ?? { waiting: 0, attempts: 0 };
  const { waiting } = await state();
  let service: Awaited<ReturnType<typeof startPaused>> | undefined;
  try {
    await step('started', async () => {
      service = await startPaused(given);
      const { status } = await fetch(`${service.url}/readyz`);
      return { ok: status === 200, found: `paused, an API and a worker; /readyz ${status}` };
    });
    await step('published', async () => {
      const deadline = Date.now() + publishingMs;
      const left = await repeat(async () => {
        const now = (await state()).waiting;
        return now === 0 || Date.now() > deadline ? now : again(200);
      });
      return { ok: left === 0, found: `${waiting - left} of ${waiting} changes that waited` };
    });
    await step('doctor', async () => {
      const { checks } = await diagnose(given, { thresholds: ofCopy });
      const found = checks.filter(({ outcome }) => ['wrong', 'unknown'].includes(outcome));
      if (found.length > 0)
        return { ok: false, found: found.map((check) => `${check.name}: ${check.found}`).join('; ') };
      const warnings = checks.filter(({ outcome }) => outcome === 'warning').map(({ name }) => name);
      return `nothing is wrong${warnings.length === 0 ? '' : `; warnings: ${warnings.join(', ')}`}`;
    });
    await step('sent', async () => {
      const { attempts } = await state();
      return { ok: attempts === 0, found: attempts === 0 ? 'nothing' : `${attempts} attempts` };
    });
  } finally {
    await service?.stop();
  }
}

async function compared(against: string, held: Holding, keepEventsDays: number): Promise<Finding> {
  const { differs, behind } = await compare(against, held, keepEventsDays);
  if (differs.length === 0) return `as the original; ${behind}`;
  return { ok: false, found: [...differs.slice(0, 5), ...(differs.length > 5 ? ['…'] : [])].join('; ') };
}

const secondsSince = (begun: number) => Math.round((performance.now() - begun) / 10) / 100;

const reasonOf = (error: unknown) => lastLines(error instanceof Error ? error.message : String(error));
