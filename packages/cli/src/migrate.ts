import { CommandError } from '@comanda/api/src/command-error.ts';
import { readSettings } from '@comanda/db';
import {
  isUpToDate,
  type Migrated,
  type MigrationPlan,
  migrate,
  migrateQueue,
  planMigration,
} from '@comanda/db/migrating';
import { linesOf, note } from '@comanda/db/terminal';
import { databaseUrlOf } from '@comanda/embedded/database-url';
import type { Work } from './command.ts';
import type { Lines } from './rows.ts';

/** The result of `comanda migrate`: the steps done, or with `--status` and `--dry-run` the steps to do. */
type Migration = { done: Migrated } | { plan: MigrationPlan; withSql: boolean };

/**
 * Brings the database to this version as its owner, over the direct connection, the queue's tables included; or looks
 * at what that would do. Lines of progress go to `log`.
 * @throws {CommandError} no database is there. @throws {MigrationError} see `migrate`.
 */
async function migrateDatabase(
  environment: NodeJS.ProcessEnv,
  look: 'status' | 'dry run' | undefined,
  log: (line: string) => void,
): Promise<Migration> {
  const settings = readSettings(environment, { seals: false });
  const url = await databaseUrlOf(settings, 'owner');
  if (url === null)
    throw new CommandError(
      'invalid_request',
      'no database is running; set DATABASE_OWNER_URL or DATABASE_URL',
    );
  if (look !== undefined) return { plan: await planMigration(url), withSql: look === 'dry run' };
  // The roles are granted what they need on the queue, too: it comes first.
  await migrateQueue(url, { log });
  return { done: await migrate(url, { log, rolePrefix: settings.databaseRolePrefix }) };
}

/** Whether a look found something to do. */
const isBehind = (value: unknown): boolean => {
  const migration = value as Migration;
  return 'plan' in migration && !isUpToDate(migration.plan);
};

/** The steps done or to do, in words. */
function migrationText(value: unknown): Lines {
  const migration = value as Migration;
  return 'done' in migration ? [doneText(migration.done)] : planText(migration);
}

function doneText({ applied, objects, dropped }: Migrated): string {
  const parts = [
    applied.length > 0 && `${applied.length} migrations applied`,
    objects.length > 0 && `${objects.length} functions and triggers made`,
    dropped.length > 0 && `${dropped.length} dropped`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'up to date' : parts.join(', ');
}

function planText({ plan, withSql }: { plan: MigrationPlan; withSql: boolean }): Lines {
  const { queue, migrations, objects, newer, unknown, problem } = plan;
  const lines = [
    ...(problem === undefined ? [] : linesOf(`It would refuse: ${problem}`)),
    ...(queue.applied < queue.latest ? [`queue: from ${queue.applied} to ${queue.latest}`] : []),
    ...migrations.flatMap(({ name, sql }) =>
      withSql ? [`migration ${name}:`, ...sql.trimEnd().split('\n'), ''] : [`migration ${name}`],
    ),
    ...(objects.length === 0
      ? []
      : [
          `${objects.length} functions, views and triggers, and those that are made of tables${withSql ? ':' : ''}`,
        ]),
    ...(withSql ? objects.map((identity) => `  ${identity}`) : []),
    ...(newer === undefined
      ? []
      : [
          `The database is of release ${newer.release}, which is newer: ${newer.left} of its functions, views and triggers differ and are left as they are.`,
        ]),
    ...unknown.map((name) => `The database has migration ${name}, which this version does not know.`),
  ];
  if (isUpToDate(plan)) return ['up to date', ...lines];
  return ['To do, by comanda migrate:', ...lines];
}

/** `comanda migrate` */
export const migration: Work = {
  runAlone: (environment, { status, 'dry-run': dryRun }) =>
    migrateDatabase(
      environment,
      dryRun !== undefined ? 'dry run' : status !== undefined ? 'status' : undefined,
      note,
    ),
  show: migrationText,
  isFailure: isBehind,
};
