import type pg from 'pg';
import { type Attempts, inAttempts } from '../migration-lock.ts';
import { dropOthers, dropTriggers, markGone, readOutdated } from './drop.ts';
import type { SqlFolder } from './folder.ts';
import { readGenerated } from './generated.ts';
import { nameOf } from './identity.ts';
import { make, validate } from './make.ts';
import { differing } from './objects.ts';
import { compareReleases, readReleases, recordRelease } from './releases.ts';
import { refuseDoubles, type SqlStatement } from './statements.ts';

/** What was done, by the identities of the objects: `trigger touch on products`. */
export interface AppliedSql {
  /** Made, or made again. */
  objects: string[];
  dropped: string[];
}

/** How to apply a folder. */
export interface ApplyOptions extends Attempts {
  /** The version that the folder belongs to. */
  release: string;
}

/**
 * Brings what holds no data to the state of the folder, object by object: only what is missing, was written otherwise
 * or was changed by hand is made again. Functions and views change together, triggers table by table, so that the
 * version before goes on meanwhile. What the folder no longer has stays for one release. A database that a newer release
 * has changed is left as it is. The caller holds the lock of migrations.
 *
 * @throws {MigrationError} a statement failed, or got no lock. What was made before it stays; the next run goes on.
 */
export async function applySql(
  client: pg.Client,
  { hash, statements }: SqlFolder,
  options: ApplyOptions,
): Promise<AppliedSql> {
  const { release, log } = options;
  const done: AppliedSql = { objects: [], dropped: [] };
  const [latest] = await readReleases(client);
  if (latest !== undefined && compareReleases(latest.release, release) > 0) {
    log(
      `warning: functions and triggers stay as release ${latest.release} has made them; this is ${release}`,
    );
    return done;
  }
  const tell = (made: readonly string[], dropped: readonly string[] = []): void => {
    done.objects.push(...made);
    done.dropped.push(...dropped);
    for (const line of [listed('sql', made), listed('sql dropped', dropped)])
      if (line !== undefined) log(line);
  };
  const all = await applyRoutines(client, statements, options, tell);
  const kept = new Set(all.map(({ identity }) => identity));
  const outdated = await readOutdated(client, kept, release);
  await applyTriggers(client, all.filter(is('trigger')), outdated, options, tell);
  await applyRest(client, all.filter(is('grant')), outdated, options, tell);
  await inAttempts(client, 'sql', options, async () => {
    await client.query('begin');
    await markGone(client, kept, release);
    await recordRelease(client, { hash, release });
    await client.query('commit');
  });
  return done;
}

type Tell = (made: readonly string[], dropped?: readonly string[]) => void;

/** Functions, procedures and views in one transaction; gives every statement, with those that functions have written. */
async function applyRoutines(
  client: pg.Client,
  statements: readonly SqlStatement[],
  options: ApplyOptions,
  tell: Tell,
): Promise<SqlStatement[]> {
  return inAttempts(client, 'sql functions and views', options, async () => {
    // A body may name what comes later; all of them are looked at when everything is there.
    await client.query('begin; set local check_function_bodies = off');
    const written = await differing(client, statements.filter(isRoutine));
    await make(client, written);
    const generated = await readGenerated(client, statements);
    const all = [...statements, ...generated];
    refuseDoubles(all);
    const others = await differing(client, generated.filter(isRoutine));
    await make(client, others);
    const views = await differing(client, all.filter(is('view')));
    await make(client, views);
    const routines = [...written, ...others];
    await validate(client, routines);
    await client.query('commit');
    tell(identities([...routines, ...views]));
    return all;
  });
}

/** Triggers, one short transaction a table: no other table waits meanwhile. */
async function applyTriggers(
  client: pg.Client,
  triggers: readonly SqlStatement[],
  outdated: readonly string[],
  options: ApplyOptions,
  tell: Tell,
): Promise<void> {
  const made = await differing(client, triggers);
  const dropped = outdated.map((identity) => ({ ...nameOf(identity), identity })).filter(is('trigger'));
  for (const table of new Set([...dropped, ...made].map((trigger) => trigger.table))) {
    const here = (trigger: { table?: string }): boolean => trigger.table === table;
    await inAttempts(client, `sql triggers of ${table}`, options, async () => {
      await client.query('begin');
      await dropTriggers(client, identities(dropped.filter(here)));
      await make(client, made.filter(here));
      await client.query('commit');
      tell(identities(made.filter(here)), identities(dropped.filter(here)));
    });
  }
}

/** Views and functions that go, when no trigger needs them any more, and grants. */
async function applyRest(
  client: pg.Client,
  grants: readonly SqlStatement[],
  outdated: readonly string[],
  options: ApplyOptions,
  tell: Tell,
): Promise<void> {
  const others = outdated.filter((identity) => nameOf(identity).kind !== 'trigger');
  await inAttempts(client, 'sql grants', options, async () => {
    await client.query('begin');
    const dropped = await dropOthers(client, others, options.log);
    const made = await differing(client, grants);
    await make(client, made);
    await client.query('commit');
    tell(identities(made), dropped);
  });
}

const is =
  (kind: SqlStatement['kind']) =>
  (object: { kind: SqlStatement['kind'] }): boolean =>
    object.kind === kind;

const isRoutine = ({ kind }: SqlStatement): boolean => kind === 'function' || kind === 'procedure';

const identities = (objects: readonly { identity: string }[]): string[] =>
  objects.map(({ identity }) => identity);

function listed(what: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const more = names.length > 4 ? ` and ${names.length - 3} more` : '';
  return `${what}: ${names.slice(0, more === '' ? 4 : 3).join(', ')}${more}`;
}
