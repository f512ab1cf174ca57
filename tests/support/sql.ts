import pg from 'pg';

/** Runs a statement; its rows. Of a tagged template, every `${…}` is a parameter. */
export interface Sql {
  <Found = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Found[]>;
  <Found = Record<string, unknown>>(text: TemplateStringsArray, ...values: unknown[]): Promise<Found[]>;
}

/** The same of anything that runs a text with its values. */
export const sqlBy =
  (run: (text: string, values?: unknown[]) => Promise<unknown[]>): Sql =>
  <Found>(text: string | TemplateStringsArray, ...values: unknown[]) =>
    (typeof text === 'string'
      ? run(text, values[0] as unknown[] | undefined)
      : run(
          text.reduce((before, part, index) => `${before}$${index}${part}`),
          values,
        )) as Promise<Found[]>;

/** Runs statements. A database is asked for its pool at each of them, so it may be one of `useDatabase`. */
type Runs = { query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> };

/** The same of a pool, a client or a database. */
export const sqlOf = (on: Runs | { pool: Runs }): Sql =>
  sqlBy(async (text, values) => (await ('pool' in on ? on.pool : on).query(text, values)).rows);

/** Does something on a connection of its own, with that name of an application. */
export async function withClient<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
  application_name?: string,
): Promise<Result> {
  const client = new pg.Client({ connectionString, application_name });
  // The statement under way rejects; the broken connection itself concerns no other code.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The same at a URL, each statement on a connection of its own, whose name guards take for the service's where a superuser has it. */
export const sqlAt = (url: string): Sql =>
  sqlBy((text, values) =>
    withClient(url, async (client) => (await client.query(text, values)).rows, 'comanda-test'),
  );

/** How many sessions of the database wait for a lock, in a statement that is like this. */
export const atLocks = async (sql: Sql, like = '%'): Promise<number> =>
  (
    await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like ${like}`
  ).length;
