import { expect, it } from 'vitest';
import { operationsOf } from '../../packages/api/src/operations.ts';
import { unsuitable } from '../../packages/api/src/replica/suitability.ts';
import { appRouter } from '../../packages/api/src/router.ts';

const primary = { standby: false, cluster: '7', database: '5', timeline: '00000002' };

it('a standby of the same database on the same timeline may answer for it', () => {
  expect(unsuitable({ ...primary, standby: true }, primary)).toBeUndefined();
});

it.each([
  ['the primary itself, or one that was promoted', {}, 'no standby'],
  ['a copy of another server', { standby: true, cluster: '8' }, 'another server'],
  ['another database', { standby: true, database: '6' }, 'another database'],
  ['one that follows the primary of before', { standby: true, timeline: '00000001' }, 'timeline 00000001'],
])('%s may not', (_case, difference, reason) => {
  expect(unsuitable({ ...primary, ...difference }, primary)).toContain(reason);
});

it('all lists, the catalog, the export and the reports may be read from a replica, and nothing else', () => {
  const operations = operationsOf(appRouter);
  const may = operations.filter(({ meta }) => meta.replica).map(({ name }) => name);
  const lists = operations.filter(({ meta }) => meta.list).map(({ name }) => name);
  expect(new Set(may)).toEqual(new Set([...lists, 'catalog.get', 'orders.export', 'salesReports.get']));
  expect(operations.filter(({ kind, meta }) => meta.replica && kind !== 'query')).toEqual([]);
});
