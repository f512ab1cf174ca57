import type pg from 'pg';
import { isBefore, readReleases, recordRelease } from '../../release/history.ts';
import { type Attempts, inAttempts } from '../lock.ts';
import { drop, markGone, readOutdated } from './drop.ts';
import type { SqlFolder } from './folder.ts';
import type { ObjectKind, ObjectName } from './identity.ts';
import { make, validate } from './make.ts';
import { differing } from './objects.ts';
import type { SqlStatement } from './statements.ts';

/** The changes made, by the identities of the objects: `trigger touch on products`. */
export interface AppliedSql {
  /** Made, or made again. */
  objects: string[];
  dropped: string[];
}

/** How to apply a folder. */
export interface ApplyOptions extends Attempts {
  /** The version that the folder belongs to. */
  release: string;
  /** The checksums of its migrations by name, which are remembered with it. */
  migrations: Readonly<Record<string, string>>;
}

/**
 * Brings what holds no data to the state of the folder, object by object: only what is missing, was written otherwise
 * or was changed by hand is made again. Functions and views change together, triggers table by table, so that the
 * version before goes on meanwhile. An object that the folder no longer has stays for one release. A database that a
 * newer release has changed is left as it is. The caller holds the lock of migrations.
 *
 * @throws {MigrationError} a statement failed, or got no lock. Objects made before it stay; the next run goes on.
 */
export async function applySql(
  client: pg.Client,
  { hash, statements }: SqlFolder,
  options: ApplyOptions,
): Promise<AppliedSql> {
  const { release, migrations, log } = options;
  const done: AppliedSql = { objects: [], dropped: [] };
  const [latest] = await readReleases(client);
  if (latest !== undefined && isBefore(release, latest.release)) {
    log(
      `warning: functions and triggers stay as release ${latest.release} has made them; this is ${release}`,
    );
    return done;
  }
  /** One transaction, tried until it has its locks. */
  const step = async (name: string, work: () => Promise<{ made: SqlStatement[]; dropped?: string[] }>) => {
    const { made, dropped = [] } = await inAttempts(client, `sql ${name}`, options, async () => {
      await client.query('begin');
      const result = await work();
      await client.query('commit');
      return result;
    });
    const objects = made.map(({ identity }) => identity);
    done.objects.push(...objects);
    done.dropped.push(...dropped);
    if (objects.length > 0) log(`sql: ${listed(objects)}`);
    if (dropped.length > 0) log(`sql dropped: ${listed(dropped)}`);
  };

  await step('functions and views', async () => {
    // A body may name what comes later; all of them are looked at when everything is there.
    await client.query('set local check_function_bodies = off');
    const routines = await make(client, statements.filter(isRoutine));
    const views = await make(client, statements.filter(is('view')));
    await validate(client, routines);
    return { made: [...routines, ...views] };
  });

  const kept = new Set(statements.map(({ identity }) => identity));
  const outdated = await readOutdated(client, kept, release);
  const triggers = statements.filter(is('trigger'));
  const changing = [...outdated.filter(is('trigger')), ...(await differing(client, triggers))];
  // A short transaction a table: no other table waits meanwhile.
  for (const table of new Set(changing.map((trigger) => trigger.table)))
    await step(`triggers of ${table}`, async () => {
      const here = (object: ObjectName): boolean => object.kind === 'trigger' && object.table === table;
      const dropped = await drop(client, outdated.filter(here), log);
      return { made: await make(client, triggers.filter(here)), dropped };
    });

  // Views and functions go when no trigger needs them any more.
  await step('dropping', async () => {
    const others = outdated.filter(({ kind }) => kind !== 'trigger');
    const dropped = await drop(client, others, log);
    await markGone(client, kept, release);
    await recordRelease(client, { hash, release }, migrations);
    return { made: [], dropped };
  });
  return done;
}

const is =
  (kind: ObjectKind) =>
  (object: ObjectName): boolean =>
    object.kind === kind;

const isRoutine = ({ kind }: SqlStatement): boolean => kind === 'function' || kind === 'procedure';

const listed = (names: readonly string[]): string =>
  names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
