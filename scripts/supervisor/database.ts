import { relative } from 'node:path';
// By file: the package's index would load Prisma's client into the supervisor, which has no use for it.
import { embeddedRoles } from '../../packages/db/src/embedded/roles.ts';
import { embeddedUrl, startEmbedded } from '../../packages/db/src/embedded/server.ts';
import { migrate } from '../../packages/db/src/migrate.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { readSettings, type Settings } from '../../packages/db/src/settings.ts';
import { migrateQueue } from '../../packages/worker/src/queue.ts';
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
  /** Tells a second start where we answer and who works for us. */
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
  const { service: url, owner: ownerUrl } = await embeddedRoles(dataDir, settings.databaseRolePrefix);
  return { ...server, url, directUrl: url, ownerUrl, embedded: true };
}

/** Brings the queue's tables and ours up to date, as the owner. */
export async function migrateDatabase(
  database: RunningDatabase,
  { databaseRolePrefix: rolePrefix }: Settings,
  progress: Progress,
): Promise<void> {
  await progress.step(
    'migrations',
    async () => {
      try {
        // Which functions and triggers: the step says how many.
        const log = (line: string) => (/^sql( dropped)?: /.test(line) ? undefined : progress.note(line));
        await migrateQueue(database.ownerUrl);
        return await migrate(database.ownerUrl, { log, rolePrefix });
      } catch (error) {
        throw database.embedded ? error : withVariable(error);
      }
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

/** The database for a person's edits: DATABASE_URL, else the running embedded one as its admin; null when neither. */
export async function findDatabase(
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const { databaseUrl, dataDir } = readSettings({ DATABASE_URL: env.DATABASE_URL, DATA_DIR: env.DATA_DIR });
  return databaseUrl ?? embeddedUrl(dataDir, 'admin');
}

/** A server that cannot be reached is told by the variable that names it; Node leaves such messages empty. */
function withVariable(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const reason = error.message || String(error.code);
  return new Error(`DATABASE_URL: ${reason}`, { cause: error });
}
