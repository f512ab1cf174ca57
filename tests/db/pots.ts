import { openSqlFolder, type SqlFolderKit } from '../support/sql-folder.ts';

/** A database with the tables pots and lids, and what the tests look at in it. */
export interface Pots extends SqlFolderKit {
  /** Of each object that the folder has made what every DDL statement would change. */
  versions(): Promise<Record<string, string>>;
  /** The value that the trigger on pots writes into a row. */
  touched(id: number): Promise<unknown>;
}

export const touchPot = (word: string) => `
CREATE FUNCTION touch_pot() returns trigger language plpgsql as $$
  begin new.touched := '${word}'; return new; end $$;`;
export const touch =
  'CREATE TRIGGER wash before insert or update ON pots for each row execute function touch_pot();';
export const labels = 'CREATE VIEW pot_labels as select label, shout(label) as loud from pots;';
export const shout = `CREATE FUNCTION shout(word text) returns text language sql as $$ select upper(word) || '!' $$;`;

/** The files of a folder in which each object is before the objects that it needs. */
export const whole = { pots: `${labels}\n${touch}\n${touchPot('first')}`, words: shout };

export async function openPots(): Promise<Pots> {
  const kit = await openSqlFolder();
  await kit.client.query(`
    create table pots (id int primary key, label text, touched text);
    create table lids (id int primary key, touched text)`);
  return {
    ...kit,
    async versions() {
      const rows = await kit.select<{ name: string; version: string }>`
        select name, version from (select proname, oid || ' ' || xmin from pg_proc
          union all select tgname, oid || ' ' || xmin from pg_trigger
          union all select relname, oid || ' ' || xmin from pg_class) o (name, version)
        where name in ('touch_pot', 'shout', 'pot_labels', 'wash', 'check_pot')`;
      return Object.fromEntries(rows.map(({ name, version }) => [name, version]));
    },
    async touched(id) {
      const [row] = await kit.select`insert into pots (id, label) values (${id}, 'pot')
        on conflict (id) do update set label = excluded.label returning touched`;
      return row;
    },
  };
}
