import { deletionsKept } from '@comanda/db';
import { expect, it } from 'vitest';
import { retentionRules } from '../../packages/worker/src/retention/rules.ts';
import { sweepRule } from '../../packages/worker/src/retention/sweep-rule.ts';
import { createLocation } from '../support/factories.ts';
import { useWorkerKit } from './kit.ts';

const kit = useWorkerKit();

it('forgets deletions behind their days, of products and categories, location by location', async () => {
  const other = await createLocation(kit.database);
  for (const location of [kit.locationId, other])
    await kit.sql`insert into internal.deleted_records (location_id, resource, deleted_at, id)
      select ${location}, resource, now() - make_interval(secs => days * 86400), uuid_v7()
      from unnest('{product,category}'::text[]) resource, unnest('{29.9,30.9,32.1,90}'::float8[]) days`;
  const rule = retentionRules.find(({ setting }) => setting === deletionsKept);
  if (rule === undefined) throw new Error('nothing removes old deletions');
  const pass = await sweepRule(kit.database, rule, {
    keep: deletionsKept.days,
    over: () => false,
    restMs: () => 0,
  });
  expect(pass).toEqual({ removed: 8, after: undefined });
  const left = await kit.sql<{ days: number }>`
    select extract(day from now() - deleted_at)::int as days from internal.deleted_records order by 1`;
  expect(left.map(({ days }) => days)).toEqual([29, 29, 29, 29, 30, 30, 30, 30]);
});
