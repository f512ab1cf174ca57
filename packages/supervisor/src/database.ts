import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryRoot, type Settings } from '@comanda/db';
import { MigrationError, migrate, migrateQueue } from '@comanda/db/migrating';
import { complain } from '@comanda/db/terminal';
import { startEmbedded } from '@comanda/embedded';
import { embeddedRoles } from '@comanda/embedded/roles';
import type { ProcessMark } from './child.ts';
import type { Progress } from './progress.ts';

/** The database that everything runs on, migrated. */
export interface RunningDatabase {
  url: string;
  /** The same past a pooler, for demo data. */
  directUrl: string;
  /** The same as the owner, for migrations. */
  ownerUrl: string;
  embedded: boolean;
  /** Reports to a second start where the service responds and which processes run it. */
  announce(more: { url?: string; children: ProcessMark[] }): void;
  /** Ends the embedded server; leaves anybody else's alone. */
  stop(): Promise<void>;
}

/**
 * Starts the embedded server, or takes DATABASE_URL.
 * @throws {AlreadyRunningError} when another start owns the data directory.
 */
export async function startDatabase(settings: Settings, progress: Progress): Promise<RunningDatabase> {
  if (settings.databaseUrl !== undefined) {
    const { databaseUrl: url, databaseDirectUrl: directUrl = url } = settings;
    const { databaseOwnerUrl: ownerUrl = directUrl } = settings;
    return { url, directUrl, ownerUrl, embedded: false, announce() {}, async stop() {} };
  }
  const { dataDir } = settings;
  const server = await progress.step(
    'database',
    () => startEmbedded({ dataDir, log: progress.note }),
    ({ port, created }) =>
      `embedded PostgreSQL on port ${port}, ${created ? 'made in' : 'kept in'} ${relative(repositoryRoot, dataDir) || '.'}`,
  );
  try {
    const { service: url, owner: ownerUrl } = await embeddedRoles(dataDir, settings.databaseRolePrefix);
    return { ...server, url, directUrl: url, ownerUrl, embedded: true };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * Brings the queue's tables and ours up to date, as the owner. A fault that a person can repair in the embedded
 * database is reported, and tried again until it is repaired or `signal` aborts: PostgreSQL, which runs with us, would
 * else be gone for that person.
 */
export async function migrateDatabase(
  database: RunningDatabase,
  settings: Settings,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  for (let reported: string | undefined; ; await sleep(repairPatienceMs, undefined, { signal })) {
    try {
      await migrateOnce(database, settings, progress);
      return;
    } catch (error) {
      if (!database.embedded) throw withVariable(error);
      if (!(error instanceof MigrationError && error.mendable)) throw error;
      if (error.message === reported) continue;
      reported = error.message;
      complain('comanda', reported);
      progress.note(
        'PostgreSQL keeps running: npm run -s comanda -- db url, npm run studio and psql work. This start goes on once it is repaired; Ctrl-C ends it',
      );
    }
  }
}

const repairPatienceMs = 2_000;

/**
 * The same once.
 * @throws {MigrationError} what `migrate` refuses.
 */
export async function migrateOnce(
  { ownerUrl }: RunningDatabase,
  { databaseRolePrefix: rolePrefix }: Settings,
  progress: Progress,
): Promise<void> {
  await progress.step(
    'migrations',
    async () => {
      // Which functions and triggers: the step says how many.
      const log = (line: string) => (/^sql( dropped)?: /.test(line) ? undefined : progress.note(line));
      await migrateQueue(ownerUrl);
      return migrate(ownerUrl, { log, rolePrefix });
    },
    ({ applied, objects, dropped }) => {
      const done = [
        applied.length > 0 && `${applied.length} applied`,
        objects.length > 0 && `${objects.length} functions and triggers made`,
        dropped.length > 0 && `${dropped.length} dropped`,
      ].filter((part) => part !== false);
      return done.length === 0 ? 'up to date' : done.join(', ');
    },
  );
}

/** The message about an unreachable server names its variable; Node leaves such messages empty. */
function withVariable(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const reason = error.message || String(error.code);
  return new Error(`DATABASE_URL: ${reason}`, { cause: error });
}
