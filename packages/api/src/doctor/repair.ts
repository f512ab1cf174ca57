import { type Database, migrate, readSchemaState, statement } from '@comanda/db';
import { auditAs } from '../call/audit.ts';
import { reasonOf } from './check.ts';
import { type Invariant, type Repaired, type Repairing, valuesFor } from './invariants/invariant.ts';
import type { Looked } from './invariants/look.ts';

/** The outcome of repairing one invariant at one location, or why it could not be repaired. */
export interface Repair {
  name: string;
  location: string | null;
  done: Repaired[];
  error?: string;
}

/**
 * Derives again what can be, a transaction for each invariant and location that had harm, under the deed `repair`, each
 * written down in the audit. Nothing is found to do the second time. A dry run does the same and takes it back.
 */
export async function repair(
  database: Database,
  url: string,
  looked: readonly Looked[],
  dryRun: boolean,
): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for (const { invariant, harms } of looked) {
    const { name, repairs: how } = invariant;
    if (how === undefined) continue;
    const places =
      how === 'schema' ? harms.slice(0, 1).map(() => null) : harms.map(({ location }) => location);
    for (const location of new Set(places)) {
      try {
        const done =
          how === 'schema'
            ? await repairSchema(database, url, dryRun)
            : await repairAt(database, name, how, location, dryRun);
        repairs.push({ name, location, done });
      } catch (error) {
        repairs.push({ name, location, done: [], error: reasonOf(error) });
      }
    }
  }
  return repairs;
}

/** Carries what was done out of a transaction that is taken back. */
class TakenBack extends Error {
  readonly done: Repaired[];
  constructor(done: Repaired[]) {
    super('a dry run');
    this.done = done;
  }
}

async function repairAt(
  database: Database,
  name: string,
  how: Exclude<Invariant['repairs'], 'schema' | undefined>,
  location: string | null,
  dryRun: boolean,
): Promise<Repaired[]> {
  try {
    return await database.transaction(undefined, async (tx) => {
      await tx.run(readCommitted, []);
      await tx.run(sayDeed, [`repair: comanda doctor (${name})`]);
      const repairing: Repairing = { tx, database, location };
      const done =
        typeof how === 'function' ? await how(repairing) : await tx.run(how, valuesFor(how, location, null));
      if (dryRun) throw new TakenBack(done);
      await writeDown(tx, name, location, done);
      return done;
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.done;
    throw error;
  }
}

/** The migrator makes again what differs; never what is pending, which is for a start to apply. */
async function repairSchema(database: Database, url: string, dryRun: boolean): Promise<Repaired[]> {
  const { missing, sql, problem } = await readSchemaState(database.pool);
  if (problem !== undefined || missing.length > 0 || sql !== 'applied')
    throw new Error(problem ?? 'this version was not applied, or another after it: see migrations');
  if (dryRun)
    return [
      { what: 'functions, triggers and time zones', before: null, after: 'made again where they differ' },
    ];
  const { objects } = await migrate(url);
  const done = objects.map((what) => ({ what, before: null, after: 'made again' }));
  await database.transaction(undefined, (tx) => writeDown(tx, 'functions and triggers', null, done));
  return done;
}

/** At the location; what concerns none at the oldest one, as there is no other place for it. */
async function writeDown(
  tx: Repairing['tx'],
  name: string,
  location: string | null,
  done: readonly Repaired[],
): Promise<void> {
  const locationId = location ?? (await tx.run(oldestLocation, []))[0]?.id;
  if (done.length === 0 || locationId === undefined) return;
  const of = (side: 'before' | 'after') =>
    Object.fromEntries(done.slice(0, 100).map((repaired) => [repaired.what, repaired[side]]));
  auditAs(tx, { kind: 'command_line', locationId }, 'doctor.repair', null, {
    before: { invariant: null, ...of('before') },
    after: { invariant: name, ...of('after') },
  });
}

const readCommitted = statement('repair_isolation', 'set transaction isolation level read committed');

// No session waits long for a repair, and a repair waits long for no session. Two of them go one after the
// other.
const sayDeed = statement(
  'repair_deed',
  `select set_config('lock_timeout', '2s', true), deed($1),
     pg_advisory_xact_lock(hashtextextended('comanda doctor --repair', 0))`,
);

const oldestLocation = statement<{ id: string }>(
  'repair_oldest_location',
  'select id from locations order by created_at, id limit 1',
);
