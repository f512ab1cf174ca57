import pg from 'pg';
import { superuserUrl } from '../../support/database.ts';
import { waitFor } from '../../support/wait.ts';

/** Stops a program that migrates a database in the middle: after one of its DDL statements, before the next. */
export interface Gate {
  /** DDL statements that were run since it was opened or closed last. */
  passed(): Promise<number>;
  /** Closes it: the next session stops after so many statements. */
  close(after: number): Promise<void>;
  /** Waits until a session has stopped there, and returns its process id. */
  standing(): Promise<number>;
  /** Lets it go on, and every session after it. */
  open(): Promise<void>;
  /** Waits until the session has ended. */
  ended(session: number): Promise<void>;
  /** Ends the session, as an administrator may. */
  terminate(session: number): Promise<void>;
  /** Gives up the connection; the gate is open then. */
  dispose(): Promise<void>;
}

/** Builds one into a database, in a schema of its own. */
export async function buildGate(databaseUrl: string): Promise<Gate> {
  const client = new pg.Client({ connectionString: superuserUrl(databaseUrl), application_name: 'gate' });
  await client.connect();
  await client.query(`
    create schema gate; create sequence gate.passed; create table gate.closed (after bigint);
    create function gate.pass() returns event_trigger language plpgsql security definer as $$
    declare
      number bigint;
    begin
      if current_setting('application_name') <> 'comanda-migrate' then return; end if;
      number := nextval('gate.passed');
      while exists (select from gate.closed where after = number) loop perform pg_sleep(0.01); end loop;
    end $$;
    create event trigger gate on ddl_command_end execute function gate.pass()`);
  const one = async <Row>(sql: string, values: unknown[] = []) =>
    (await client.query(sql, values)).rows[0] as Row | undefined;
  const passed = async () =>
    Number(
      (
        await one<{ count: string }>(
          'select case when is_called then last_value else 0 end as count from gate.passed',
        )
      )?.count,
    );
  const open = async () => {
    await client.query(`delete from gate.closed; select setval('gate.passed', 1, false)`);
  };
  const ended = async (session: number): Promise<void> => {
    await waitFor('the session to end', async () => {
      const still = await one(
        `select state, concat_ws(' ', wait_event_type, wait_event) as wait, now() - state_change as since, query
         from pg_stat_activity where pid = $1`,
        [session],
      );
      if (still !== undefined) throw new Error(JSON.stringify(still));
      return true;
    });
  };
  let closedAfter = 0;
  return {
    passed,
    open,
    ended,
    async close(after) {
      closedAfter = after;
      await open();
      await client.query('insert into gate.closed values ($1)', [after]);
    },
    async standing() {
      const { pid } = await waitFor(
        `a session to stop after statement ${closedAfter}`,
        async () =>
          (await passed()) === closedAfter &&
          one<{ pid: number }>(
            `select pid from pg_stat_activity where datname = current_database()
             and application_name = 'comanda-migrate' and wait_event = 'PgSleep'`,
          ),
        { intervalMs: 5, timeoutMs: 90_000 },
      );
      return pid;
    },
    async terminate(session) {
      await client.query('select pg_terminate_backend($1)', [session]);
      await ended(session);
    },
    async dispose() {
      await client.query('drop event trigger gate; drop schema gate cascade');
      await client.end();
    },
  };
}
