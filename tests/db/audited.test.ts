import { expect, it } from 'vitest';
import { guardsOf } from '../../packages/db/src/tables/guards.ts';
import { tables } from '../../packages/db/src/tables/index.ts';
import { isAudited, type Table } from '../../packages/db/src/tables/table.ts';
import { useApi } from '../support/api.ts';

const api = useApi();

it('every table that a person may edit is kept with its rows, every other one is the service’s alone', async () => {
  const { rows } = await api.app.database.pool.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
       and c.relname <> all ($1) order by 1`,
    [tables.filter((table) => isAudited(table) || isServices(table)).map(({ name }) => name)],
  );
  // The migrator's.
  expect(rows.map(({ name }) => name)).toEqual(['_prisma_migrations']);
});

const isServices = (table: Table): boolean =>
  guardsOf(table).some((guard) => 'serviceOnly' in guard && guard.serviceOnly === 'all');
