import pg from 'pg';
import { describeFailure, isPassing } from '../migration-lock.ts';
import { nameOf, type ObjectKind, undoing } from './identity.ts';
import { forgetGrants, type RecordedObject, readRecorded } from './objects.ts';
import { compareReleases } from './releases.ts';

/** What the applier once made and an earlier release's folder was the first without: nobody needs it any more. */
export async function readOutdated(
  client: pg.Client,
  kept: ReadonlySet<string>,
  release: string,
): Promise<string[]> {
  const outdated = ({ identity, goneSince }: RecordedObject): boolean =>
    !kept.has(identity) && goneSince !== null && compareReleases(release, goneSince) > 0;
  return (await readRecorded(client)).filter(outdated).map(({ identity }) => identity);
}

/** Marks what the folder no longer has, and takes the mark from what it has again. Writes only what differs. */
export async function markGone(client: pg.Client, kept: ReadonlySet<string>, release: string): Promise<void> {
  await client.query(
    `update sql_objects set gone_since = case when identity = any ($1) then null else $2 end
     where (identity = any ($1)) = (gone_since is not null)`,
    [[...kept], release],
  );
}

/** Drops and forgets triggers, within the caller's transaction. */
export async function dropTriggers(client: pg.Client, identities: readonly string[]): Promise<void> {
  for (const identity of identities) await client.query(undoing(nameOf(identity)));
  await forget(client, identities);
}

// In this order, since views stand on functions, and grants on both.
const order: readonly ObjectKind[] = ['grant', 'view', 'procedure', 'function'];

/**
 * Drops and forgets all else, within the caller's transaction, and gives what it dropped. What something else still
 * needs stays for the next time, with a warning.
 */
export async function dropOthers(
  client: pg.Client,
  identities: readonly string[],
  warn: (line: string) => void,
): Promise<string[]> {
  let left = order.flatMap((kind) => identities.filter((identity) => nameOf(identity).kind === kind));
  const dropped: string[] = [];
  // Again while it helps: they may need each other.
  for (let before = -1; before !== dropped.length; ) {
    before = dropped.length;
    const reasons = new Map<string, string>();
    for (const identity of left) {
      const reason = await tryToDrop(client, identity);
      if (reason === undefined) dropped.push(identity);
      else reasons.set(identity, reason);
    }
    left = [...reasons.keys()];
    if (before === dropped.length)
      for (const [identity, reason] of reasons) warn(`warning: ${identity} stays in the database: ${reason}`);
  }
  if (dropped.some((identity) => nameOf(identity).kind === 'grant')) await forgetGrants(client);
  await forget(client, dropped);
  return dropped;
}

// Said of a grant whose object or role is gone, and the grant with it.
const isGone = /^(42704|42883|42P01|3F000)$/;

async function tryToDrop(client: pg.Client, identity: string): Promise<string | undefined> {
  await client.query('savepoint dropping');
  try {
    await client.query(undoing(nameOf(identity)));
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || isPassing(error)) throw error;
    await client.query('rollback to savepoint dropping');
    if (nameOf(identity).kind !== 'grant' || !isGone.test(error.code ?? '')) return describeFailure(error);
  }
  await client.query('release savepoint dropping');
  return undefined;
}

async function forget(client: pg.Client, identities: readonly string[]): Promise<void> {
  await client.query('delete from sql_objects where identity = any ($1)', [identities]);
}
