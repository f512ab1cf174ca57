import type pg from 'pg';

/** Makes the table of completed steps, from which an interrupted fill continues. */
export const book = 'create table if not exists bench_steps (name text primary key)';

/** Does it in a transaction, unless it was done before. */
export async function step(client: pg.Client, name: string, work: () => Promise<unknown>): Promise<void> {
  const { rowCount } = await client.query('select from bench_steps where name = $1', [name]);
  if (rowCount !== 0) return;
  await client.query('begin');
  await work();
  await client.query('insert into bench_steps values ($1)', [name]);
  await client.query('commit');
}

/** Runs statements that were not run before; each connection takes the next when it is done with one. */
export async function share(writers: readonly pg.Client[], texts: readonly string[]): Promise<void> {
  const left = [...texts];
  const work = async (client: pg.Client) => {
    for (let text = left.shift(); text !== undefined; text = left.shift()) {
      const one = text;
      await step(client, one, () => client.query(one));
    }
  };
  await Promise.all(writers.map(work));
}
