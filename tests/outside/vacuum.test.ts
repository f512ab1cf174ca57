import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { openHand } from '../support/by-hand.ts';
import { type Operator, startOperator } from './operator.ts';

// An operator with docs/operations/vacuum.md in hand: every block of it is run as it is written there.

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

let operator: Operator;
beforeAll(async () => {
  operator = await startOperator('operations/vacuum.md', randomBytes(32).toString('base64'));
});
afterAll(() => operator?.remove());

it('the page has the settings that tables have', async () => {
  const page = readFileSync(join(repositoryRoot, 'docs/operations/vacuum.md'), 'utf8');
  const shown = [...page.matchAll(/^\| `([\w.]+)` \| .* \| ((?:`[^`]+`(?:, )?)+) \|$/gm)].map(
    ([, table = '', settings = '']) => [table, settings.replaceAll('`', '').split(', ').toSorted()],
  );
  const hand = await openHand(operator.cluster.url('comanda_owner', 'comanda'));
  const rows = await hand.sql<{ name: string; settings: string[] }>(`
    select case nspname when 'public' then relname else nspname || '.' || relname end as name, reloptions as settings
    from pg_class join pg_namespace n on n.oid = relnamespace
    where relkind = 'r' and nspname in ('public', 'internal') and reloptions is not null order by 1`);
  await hand.close();
  expect(Object.fromEntries(shown)).toEqual(
    Object.fromEntries(rows.map(({ name, settings }) => [name, settings.toSorted()])),
  );
});

it('every command of the page does what it says', async () => {
  expect(await operator.follow('Looking', {})).toMatch(/n_dead_tup[\s\S]*holder/);
  expect(await operator.follow('Bloat', {})).toMatch(/dead_tuple_percent/);
  expect(await operator.follow('Wraparound', {})).toMatch(/comanda/);
  expect(operator.left()).toEqual([]);
});
