import type { Queryable, Statement } from '@comanda/db';
import { expect, it } from 'vitest';
import { createFreshness } from '../../packages/api/src/replica/freshness.ts';
import { readReplayed, readWritten } from '../../packages/api/src/replica/statements.ts';
import { unsuitable } from '../../packages/api/src/replica/suitability.ts';

const primary = { standby: false, cluster: '7', database: '5', timeline: '00000002', since: '1' };

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

it('forgets nobody who comes in the moment in which the last one who waited is answered', async () => {
  const ticks = Array.from({ length: 8 }, (_, count) => count);
  for (const [late, later] of ticks.flatMap((late) => ticks.map((later) => [late, later] as const))) {
    const freshness = createFreshness(
      server(primary, readWritten, late),
      server({ ...primary, standby: true }, readReplayed, later),
    );
    await freshness.verify();
    await Promise.all([freshness.reached(), freshness.reached()]);
  }
});

/** One whose answer to a question comes so many ticks of the event loop later than the others. */
const server = (own: object, slow: Statement<unknown>, ticks: number): Queryable => ({
  async run<Row>(asked: Statement<Row>) {
    const isSlow = asked.name === slow.name;
    for (let tick = 0; isSlow && tick < ticks; tick += 1) await undefined;
    return [{ ...own, shown: true, id: 'a', seenAt: 'now', ...(isSlow && { position: 1 }) } as Row];
  },
});
