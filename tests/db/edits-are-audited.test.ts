import { beforeAll, describe, expect, it } from 'vitest';
import { readCatalog } from '../../packages/db/src/made/catalog.ts';
import { tables } from '../../packages/db/src/tables/index.ts';
import { isAudited, type Table } from '../../packages/db/src/tables/table.ts';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { openAs } from '../support/roles.ts';
import { thorough } from '../support/trials.ts';
import { fillAuditedTables } from './audited-rows.ts';
import { type Edit, editsOf } from './edits-beside-a-parent.ts';
import { type Rows, readDigests, readRows, replay } from './replayed-entries.ts';

// The audit has every form of an edit in full: the entries, applied to the rows before, give the rows after. Each edit is
// taken back, so that all begin with the same rows.

const api = useApi();
const hand = useHand(api);
const audited = tables.filter(isAudited);
const levels = ['read committed', 'repeatable read', 'serializable'];
let before: Rows;
let digestsBefore: ReadonlyMap<string, string>;
let edits: ReadonlyMap<string, readonly Edit[]>;
beforeAll(async () => {
  await fillAuditedTables(hand, api.locationId);
  const owner = await openAs(api.databaseUrl, 'owner');
  try {
    const catalog = await readCatalog(owner);
    edits = new Map(audited.map((table) => [table.name, editsOf(table, catalog)]));
  } finally {
    await owner.end();
  }
  before = await readRows(hand, audited);
  digestsBefore = await readDigests(hand, audited);
});

describe.each(audited)('of $name', (table: Table) => {
  it('has rows to edit', () => {
    expect(before.get(table.name)?.size).toBeGreaterThan(1);
  });

  it('no edit during the deletion of a parent escapes the audit', { timeout: 120_000 }, async () => {
    const tried = edits.get(table.name) ?? [];
    expect(tried.length).toBeGreaterThan(0);
    let turn = 0;
    for (const edit of tried)
      for (const count of [1, 1_000]) {
        const level = levels[turn++ % levels.length];
        for (const isolation of thorough ? levels : [level])
          await expectAudited(
            table,
            edit,
            count,
            `${edit.name}, ${count} rows, ${isolation}`,
            isolation ?? '',
          );
      }
  });
});

/** The tables that have entries of this transaction: how many are of statements, and went with no other. */
async function statementsByTable(): Promise<ReadonlyMap<string, number>> {
  const found = await hand.sql<{ relation: string; n: number }>(
    `select relation, count(*) filter (where caused_by is null)::int as n from audit_entries
     where created_at = now()::timestamptz(3) group by relation`,
  );
  return new Map(found.map(({ relation, n }) => [relation, n]));
}

/** Runs an edit in a transaction that is rolled back, and compares what it did with what the audit has of it. */
async function expectAudited(
  table: Table,
  edit: Edit,
  count: number,
  what: string,
  isolation: string,
): Promise<void> {
  await hand.sql(`begin isolation level ${isolation}`);
  try {
    await hand.sql(`select deed('repair: an edit that is taken back')`);
    for (const { text, copies } of edit.statements(count, api.locationId)) {
      if (copies === undefined) await hand.sql(text);
      else
        await hand.copy(
          text,
          (await hand.sql<{ line: string }>(copies)).map(({ line }) => line),
        );
    }
    await hand.sql('set constraints all immediate');
    const statements = await statementsByTable();
    const digests = await readDigests(hand, audited);
    // The others are as before, and no entry says otherwise.
    const touched = audited.filter(
      ({ name }) => statements.has(name) || digests.get(name) !== digestsBefore.get(name),
    );
    const after = await readRows(hand, touched);
    const replayed = await replay(hand, before);
    for (const { name } of touched) expect(replayed.get(name), `${what}: ${name}`).toEqual(after.get(name));
    expect(statements.get(table.name), `${what} is no entry of its own`).toBeGreaterThan(0);
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  } finally {
    await hand.sql('rollback');
  }
}
