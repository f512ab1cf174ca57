import { expect, it } from 'vitest';
import { useApi } from '../support/api.ts';

const api = useApi();

it('every table that a person may edit is kept with its rows, every other one is the service’s alone', async () => {
  const { rows } = await api.app.database.pool.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
       and c.relname not in (select relation from audited())
       and c.relname not in (select relation from guarded() where rule = 'service' and columns = 'iud') order by 1`,
  );
  // The migrator's.
  expect(rows.map(({ name }) => name)).toEqual(['_prisma_migrations']);
});
