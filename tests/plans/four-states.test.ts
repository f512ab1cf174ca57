import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownTables } from '../support/tables.ts';
import { waitFor } from '../support/wait.ts';
import { type Indexes, indexColumns } from './entered.ts';
import { exemptions } from './exempt.ts';
import { fill } from './fill.ts';
import { createFindings, type Findings } from './findings.ts';
import { removeWhatIsOld } from './retention.ts';
import { type Service, startService } from './service.ts';
import { everyCall, openShop, type Shop } from './shop.ts';
import { fillStreet } from './street.ts';
import { trim } from './trim.ts';
import { replaceCatalog } from './work/batches.ts';
import type { Round } from './work/round.ts';
import { work } from './work/work.ts';

/** A plan is made at the first run and kept; the second round takes the other family. */
const smallRounds = 2;

// Either family runs the same statements: taking turns, each statement runs once a round.
const smallRound = (n: number): Round => ({
  name: `small-${n}`,
  size: 2,
  families: [n % 2 === 0 ? 'v1' : 'v2'],
});
const largeRound = (name: string): Round => ({ name, size: 120, families: ['v1', 'v2'] });

let service: Service;
let indexes: Indexes;
let first: Shop;
let hearing: Findings | undefined;
const states: { findings: Findings; calls: Set<string> }[] = [];

beforeAll(async () => {
  service = await startService((run) => hearing?.hear(run));
  const rows = await service.sql<{ name: string; columns: string[] }>(indexColumns);
  indexes = new Map(rows.map(({ name, columns }) => [name, columns]));
  first = await openShop(service, 'First', called);
}, 300_000);
afterAll(() => service.close(), 60_000);

// In this order, on connections that live through all of it: no statement has useless reads in any state of the
// statistics (docs/design/database.md, "Plans"). Only the third test analyzes a table.
describe('a service', { shuffle: false }, () => {
  test('planned on five rows', async () => {
    // Every read of a table of one page costs nothing.
    const findings = await begin('five rows', 20);
    for (let n = 1; n <= smallRounds; n += 1) {
      await work(first, smallRound(n));
      await replaceCatalog(first, smallRound(n));
      await removeWhatIsOld(service);
      await trim(service);
    }
    await end(findings);
  }, 300_000);

  test('filled and not analysed, on the same connections', async () => {
    const other = await openShop(service, 'Other');
    await fillStreet(service, 500);
    await fill(service, other.locationId, { products: 10_000, orders: 20_000 });
    await fill(service, first.locationId, { products: 400, orders: 400 });
    await service.settled();
    await service.plansExpired();
    const findings = await begin('filled');
    await work(first, largeRound('filled'));
    await removeWhatIsOld(service);
    await end(findings);
  }, 300_000);

  test('analysed', async () => {
    await service.sql('analyze');
    const findings = await begin('analysed');
    await work(first, largeRound('analysed'));
    await replaceCatalog(first, largeRound('analysed'));
    await removeWhatIsOld(service);
    await end(findings);
  }, 300_000);

  test('at a new location that no statistics know', async () => {
    const findings = await begin('new location');
    const fresh = await openShop(service, 'Fresh', called);
    await work(fresh, largeRound('fresh-1'));
    await work(fresh, largeRound('fresh-2'));
    await replaceCatalog(fresh, largeRound('fresh'));
    await removeWhatIsOld(service);
    await end(findings);
  }, 300_000);

  // The demo data that a reset writes is more than five rows; what is certified was reset.
  const notInAll = everyCall.filter((call) => /\/v2\/(sandbox|certifications)/.test(call));

  test('each state saw every operation', () => {
    for (const [n, { calls }] of states.entries())
      expect(everyCall.filter((call) => !calls.has(call))).toEqual(n === 0 ? notInAll : []);
    expect(states).toHaveLength(4);
  });

  test('nothing that the API and the worker did was taken for a manual edit', async () => {
    const found = await service.sql(
      `select relation, operation from audit_entries
     where actor_kind = 'database' and application_name in ('comanda-api', 'comanda-worker')`,
    );
    expect(found).toEqual([]);
  });

  test('each exemption is needed', () => {
    const needed = new Set(states.flatMap(({ findings }) => [...findings.needed]));
    expect(exemptions.filter((each) => !each.sometimes && !needed.has(each))).toEqual([]);
  });
});

function called(call: string): void {
  states.at(-1)?.calls.add(call);
}

async function begin(state: string, leastUseful = 1): Promise<Findings> {
  const small = await smallTables(service);
  hearing = createFindings({ state, nameOf: service.nameOf, indexes, small, leastUseful });
  states.push({ findings: hearing, calls: new Set() });
  return hearing;
}

async function end(findings: Findings): Promise<void> {
  await service.settled();
  await waitFor('a sweep', () => findings.heard('sweep_'));
  hearing = undefined;
  expect(findings.offenders().join('\n')).toBe('');
}

/** Below it a location, a two-hundredth of a table, is taken for a row or a few. */
const smallRows = 1_000;

async function smallTables({ sql }: Service): Promise<Map<string, number>> {
  const tables = await ownTables({ query: async (text, values) => ({ rows: await sql(text, values) }) });
  const counts = await Promise.all(
    tables.map(async ({ name, sql: table }) => {
      const [row] = await sql<{ rows: number }>(
        `select count(*)::int as rows from (select from ${table} limit ${smallRows}) r`,
      );
      return [name, row?.rows ?? 0] as const;
    }),
  );
  return new Map(counts.filter(([, rows]) => rows < smallRows));
}
