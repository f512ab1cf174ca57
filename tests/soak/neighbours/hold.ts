import pg from 'pg';
import type { End } from './neighbour.ts';

/** Locks rows as a forgotten session does, until the answer is called. */
export async function holdRows(url: string, text: string, values: readonly unknown[]): Promise<End> {
  const client = new pg.Client({ connectionString: url, application_name: 'forgotten' });
  // The server may go away meanwhile, and the locks with it.
  client.on('error', () => {});
  await client.connect();
  await client.query('begin');
  const { rowCount } = await client.query(text, [...values]);
  if (rowCount === 0) throw new Error(`nothing to hold: ${text}`);
  return () => client.end();
}
