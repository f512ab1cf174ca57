import pg from 'pg';

/** In which order foreign keys are made: as a dump makes them, by name, or the other way round than they were made. */
export type KeyOrder = 'as a dump makes them' | 'in reverse';

/**
 * Makes the foreign keys of a database again. Their triggers fire by name, which holds a number that rises with each that
 * is made; so a copy that is restored from a dump may delete rows in another order than the original.
 */
export async function makeForeignKeysAgain(url: string, order: KeyOrder): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ relation: string; name: string; definition: string }>(
      `select c.conrelid::regclass::text as relation, quote_ident(c.conname) as name, pg_get_constraintdef(c.oid) as definition
       from pg_constraint c where c.contype = 'f' and c.connamespace::regnamespace::text !~ '^(pg_|graphile_worker)'
       order by ${order === 'in reverse' ? 'c.oid desc' : 'c.conname collate "C"'}`,
    );
    await client.query('begin');
    for (const { relation, name } of rows)
      await client.query(`alter table ${relation} drop constraint ${name}`);
    for (const { relation, name, definition } of rows)
      await client.query(`alter table ${relation} add constraint ${name} ${definition}`);
    await client.query('commit');
  } finally {
    await client.end();
  }
}
