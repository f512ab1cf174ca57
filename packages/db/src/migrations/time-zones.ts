import type pg from 'pg';

/**
 * Adds to `time_zones` what the server has a file for, which makes it an IANA name in its own spelling, and this Node
 * knows. None is removed: a location may have it, and another Node may know it. Does nothing where the table is not.
 */
export async function fillTimeZones(client: pg.Client): Promise<void> {
  const found = await client.query<{ there: boolean }>(
    `select to_regclass('internal.time_zones') is not null as there`,
  );
  if (found.rows[0]?.there !== true) return;
  const { rows } = await client.query<{ name: string }>(
    'select n.name from pg_timezone_names n where not exists (select from internal.time_zones z where z.name = n.name)',
  );
  const names = rows.map(({ name }) => name).filter(isKnown);
  await client.query(
    'insert into internal.time_zones (name) select unnest($1::text[]) on conflict do nothing',
    [names],
  );
}

function isKnown(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
