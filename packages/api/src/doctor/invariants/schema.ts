import { readChangedObjects, readSchemaState, statement } from '@comanda/db';
import type { Invariant, Repaired, Repairing } from './invariant.ts';

/** The rows of the migrations, compared with their files. */
export const checksums: Invariant = {
  name: 'checksums',
  means: 'The book of migrations says of each what its file says.',
  advice:
    'See "migrations" above. comanda doctor --repair sets the book right where the file is as its release shipped it.',
  of: 'database',
  async asks({ database }) {
    const { misnoted } = await readSchemaState(database.pool);
    return misnoted.map(({ name }) => ({
      location: null,
      what: `migration ${name}`,
      harm: 'has another checksum than its file',
    }));
  },
  async repairs({ tx, database }) {
    const { misnoted } = await readSchemaState(database.pool);
    const done: Repaired[] = [];
    for (const { name, checksum } of misnoted) {
      const [row] = await tx.run(noteChecksum, [name, checksum]);
      done.push({ what: `checksum of ${name}`, before: row?.before ?? null, after: checksum });
    }
    return done;
  },
};

/** The objects that guard everything else. */
export const functionsAndTriggers: Invariant = {
  name: 'functions and triggers',
  means: 'Functions, views and triggers are as this version made them.',
  advice: 'comanda doctor --repair makes them again, as the next npm start would.',
  of: 'database',
  async asks({ database }) {
    const changed = await readChangedObjects(database.pool);
    return changed.slice(0, 101).map((what) => ({ location: null, what, harm: 'is missing or was changed' }));
  },
  repairs: 'schema',
};

/** Enables every trigger that the role may enable: one of a foreign key needs a superuser. */
export async function enableTriggers({ tx }: Repairing): Promise<Repaired[]> {
  const rows = await tx.run(disabledTriggers, []);
  for (const { text } of rows) await tx.run(statement('repair_disabled_trigger', text), []);
  return rows.map(({ what }) => ({ what, before: 'disabled', after: 'enabled' }));
}

/** The zones of locations. Node does not know all that PostgreSQL does, which a query cannot see. */
export const timeZones: Invariant = {
  name: 'time zones',
  means: 'PostgreSQL and Node know the zone of every location, without which none of its times can be shown.',
  advice:
    'comanda doctor --repair adds to time_zones what both know. Else give the location another: update locations set timezone = …',
  of: 'database',
  async asks({ database }) {
    const rows = await database.run(zonesInUse, []);
    return rows.flatMap(({ location, timezone, listed, server }) => {
      const lacks = [!listed && 'time_zones', !server && 'PostgreSQL', !isKnown(timezone) && 'Node'];
      const lacking = lacks.filter((lack) => lack !== false).join(', ');
      return lacking === '' ? [] : [{ location, what: `zone ${timezone}`, harm: `is unknown to ${lacking}` }];
    });
  },
  repairs: 'schema',
};

const disabledTriggers = statement<{ what: string; text: string }>(
  'doctor_disabled_trigger_statements',
  `select t.tgname || ' on ' || c.relname as what, format('alter table %s enable trigger %I', c.oid::regclass, t.tgname) as text
   from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
   where t.tgenabled <> 'O' and n.nspname !~ '^pg_' and n.nspname <> 'graphile_worker'
     and (not t.tgisinternal or (select rolsuper from pg_roles where rolname = current_user)) order by c.relname, t.tgname`,
);

const noteChecksum = statement<{ before: string }>(
  'repair_checksum',
  `with was as (select id, checksum from _prisma_migrations where migration_name = $1 and rolled_back_at is null for update)
   update _prisma_migrations m set checksum = $2 from was where m.id = was.id returning was.checksum as before`,
);

const zonesInUse = statement<{ location: string; timezone: string; listed: boolean; server: boolean }>(
  'doctor_zones',
  `select l.id as location, l.timezone, exists (select from internal.time_zones z where z.name = l.timezone) as listed,
     n.name is not null as server
   from locations l left join pg_timezone_names n on n.name = l.timezone`,
);

function isKnown(timezone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: timezone });
    return true;
  } catch {
    return false;
  }
}
