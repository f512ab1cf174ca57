import { superuserUrl } from '../../support/database.ts';
import { sqlAt } from '../../support/sql.ts';

/** The clock of one database, which a test can set. */
export interface DatabaseClock {
  /** Sets it to a time; it runs on from there. */
  set(time: string): Promise<void>;
  /** Moves it by so many seconds, back when negative. */
  move(seconds: number): Promise<void>;
  /** Its output. */
  now(): Promise<Date>;
}

/**
 * Replaces the clock functions of PostgreSQL, in this database alone and in every column default, by some that a test can set.
 * Nothing of the product knows of it. Sessions that are open already are ended, for they would keep the server's clock.
 */
export async function putClock(url: string): Promise<DatabaseClock> {
  const run = sqlAt(superuserUrl(url));
  await run(install);
  return {
    async set(time) {
      await run('update clock.moved set by = $1::timestamptz - server_clock_timestamp()', [time]);
    },
    async move(seconds) {
      await run('update clock.moved set by = by + make_interval(secs => $1)', [seconds]);
    },
    async now() {
      const [row] = await run<{ now: Date }>('select clock_timestamp() as now');
      if (row === undefined) throw new Error('the clock says nothing');
      return row.now;
    },
  };
}

const install = `
  create schema clock;
  create table clock.moved (by interval not null);
  insert into clock.moved values ('0');
  alter function pg_catalog.now() rename to server_now;
  alter function pg_catalog.clock_timestamp() rename to server_clock_timestamp;
  create function pg_catalog.now() returns timestamptz language sql stable
    as 'select server_now() + by from clock.moved';
  create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile
    as 'select server_clock_timestamp() + by from clock.moved';
  grant usage on schema clock to public;
  grant select on clock.moved to public;
  do $$
  declare c record;
  begin
    for c in
      select a.attrelid::regclass as owner, a.attname as name
      from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      join pg_class r on r.oid = a.attrelid and r.relkind in ('r', 'p')
      where pg_get_expr(d.adbin, d.adrelid) ~* '^(current_timestamp|server_now\\(\\))'
    loop
      execute format('alter table %s alter column %I set default now()', c.owner, c.name);
    end loop;
  end $$;
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;
