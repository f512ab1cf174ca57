import pg from 'pg';
import { compareReleases } from '../../release/history.ts';
import { describeFailure, isPassing } from '../lock.ts';
import { dropping, nameOf, type ObjectKind, type ObjectName } from './identity.ts';
import { readRecorded } from './objects.ts';

/** An object that the applier once made and that is no longer needed. */
export interface OutdatedObject extends ObjectName {
  identity: string;
}

/** The objects that an earlier release's folder was the first without. */
export async function readOutdated(
  client: pg.Client,
  kept: ReadonlySet<string>,
  release: string,
): Promise<OutdatedObject[]> {
  return (await readRecorded(client)).flatMap(({ identity, goneSince }) =>
    !kept.has(identity) && goneSince !== null && compareReleases(release, goneSince) > 0
      ? { ...nameOf(identity), identity }
      : [],
  );
}

/** Marks what the folder no longer has, and takes the mark from what it has again. Writes only what differs. */
export async function markGone(client: pg.Client, kept: ReadonlySet<string>, release: string): Promise<void> {
  await client.query(
    `update internal.sql_objects set gone_since = case when identity = any ($1) then null else $2 end
     where (identity = any ($1)) = (gone_since is not null)`,
    [[...kept], release],
  );
}

// In this order, since triggers and views need functions.
const order: readonly ObjectKind[] = ['trigger', 'view', 'procedure', 'function'];

/**
 * Drops and forgets, within the caller's transaction, and returns the dropped objects. An object that another one
 * still needs stays for the next time, with a warning.
 */
export async function drop(
  client: pg.Client,
  objects: readonly OutdatedObject[],
  warn: (line: string) => void,
): Promise<string[]> {
  let left = objects.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const dropped: string[] = [];
  // Again while it helps: they may need each other.
  for (let helped = true; helped; ) {
    const reasons = new Map<OutdatedObject, string>();
    for (const object of left) {
      const reason = await tryToDrop(client, object);
      if (reason === undefined) dropped.push(object.identity);
      else reasons.set(object, reason);
    }
    helped = reasons.size < left.length;
    left = [...reasons.keys()];
    if (helped) continue;
    for (const [{ identity }, reason] of reasons)
      warn(`warning: ${identity} stays in the database: ${reason}`);
  }
  await client.query('delete from internal.sql_objects where identity = any ($1)', [dropped]);
  return dropped;
}

async function tryToDrop(client: pg.Client, object: OutdatedObject): Promise<string | undefined> {
  await client.query('savepoint dropping');
  try {
    await client.query(dropping(object));
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || isPassing(error)) throw error;
    await client.query('rollback to savepoint dropping').catch(() => {
      throw error;
    });
    return describeFailure(error);
  }
  await client.query('release savepoint dropping');
  return undefined;
}
