import { beforeAll, describe, expect, it } from 'vitest';
import { readChangedObjects } from '../../packages/db/src/migrations/sql/objects.ts';
import { readTables, type Table } from '../fuzz/hand-edits/tables.ts';
import { useHand } from '../support/by-hand.ts';
import { superuserUrl } from '../support/database.ts';
import { type KeyOrder, makeForeignKeysAgain } from '../support/foreign-keys.ts';
import { useEditedShop } from './edited-shop.ts';
import { refusalOf, valuesFor } from './hand-edit.ts';
import { handEdits } from './hand-edits-of-others.ts';

// A dump makes foreign keys in another order than the migrations do, and in that order they cascade. The result of a deletion,
// and its refusals, must not depend on it. The embedded server comes without pg_dump, so the keys are made
// again in the order of a dump, and in the reverse of the one that they were made in.

const api = useEditedShop();
const hand = useHand(api);
let tables: Table[];
let original: Map<string, unknown>;
beforeAll(async () => {
  tables = await readTables(hand);
  original = await endings();
}, 180_000);

describe.each<KeyOrder>(['as a dump makes them', 'in reverse'])('with foreign keys made %s', (order) => {
  beforeAll(() => makeForeignKeysAgain(superuserUrl(api.databaseUrl), order), 120_000);

  it('every deletion and every new id ends as before', { timeout: 120_000 }, async () => {
    const again = await endings();
    const different = [...original].filter(([what, ending]) => {
      return JSON.stringify(again.get(what)) !== JSON.stringify(ending);
    });
    expect(different.map(([what, ending]) => ({ what, ending, again: again.get(what) }))).toEqual([]);
  });

  it.each(handEdits)('a person who $edit is refused as before', async (edit) => {
    await expect(hand.sql(edit.sql, valuesFor(edit.sql, api.locationId))).rejects.toMatchObject(
      refusalOf(edit),
    );
  });
});

it('a location that has orders is kept, and goes with all that it has when its end is said', async () => {
  const remove = 'delete from locations where id = $1';
  await expect(hand.sql(remove, [api.locationId])).rejects.toMatchObject({
    code: 'CM008',
    message: expect.stringMatching(/has orders, so it is kept/),
  });
  expect(original.get(`purge: a test: delete from locations 0`)).toMatchObject({
    left: { orders: 0, payments: 0, payment_methods: 0, settlements: 0, events: 0, turns: 0, totals: null },
  });
});

it('triggers that a dump has made again agree with the book of what was made', async () => {
  await hand.sql('set search_path = public, internal');
  const triggers = await hand.sql<{ drop: string; make: string }>`
    select format('drop trigger %I on %s', tgname, tgrelid::regclass) as drop, pg_get_triggerdef(oid) as make
    from pg_trigger where not tgisinternal`;
  expect(triggers.length).toBeGreaterThan(100);
  for (const { drop, make } of triggers) await hand.sql(`${drop}; ${make}`);
  expect(await readChangedObjects(api.app.database.pool)).toEqual([]);
});

/** How each deletion of a row ends, with deeds and without; and each change of an id, which cascades. Nothing of it stays. */
async function endings(): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const table of tables)
    for (const n of [0, 1, 2]) {
      const row = `ctid = any (array(select ctid from ${table.name} order by ${table.key.join(', ')} offset ${n} limit 1))`;
      for (const deed of ['', 'purge: a test', 'repair: a test']) {
        const statements = [`delete from ${table.name} where ${row}`];
        if (
          deed.startsWith('repair') &&
          table.columns.some(({ name, type }) => name === 'id' && type === 'uuid')
        )
          statements.push(
            `update ${table.name} set id = '01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d' where ${row}`,
          );
        for (const statement of statements)
          found.set(`${deed}: ${statement.split(' where')[0]} ${n}`, await ending(deed, statement));
      }
    }
  return found;
}

async function ending(deed: string, statement: string): Promise<unknown> {
  await hand.sql('begin');
  try {
    await hand.sql(`select deed($1)`, [deed]);
    await hand.sql(statement);
    await hand.sql('set constraints all immediate');
    // Notes are folded now and then, by chance: what they add up to counts, not how many they are.
    const counted = tables.filter(({ name }) => !/\b(tallies|tally_notes|captured_changes)$/.test(name));
    const counts = counted.map(({ name }) => `(select count(*)::int from ${name}) as "${name}"`);
    const [left] = await hand.sql(
      `select ${counts.join(', ')}, (select json_object_agg(l.id || ' ' || t.name, t.n) from locations l
         cross join lateral tally(l.id, '{catalog,product visible,product hidden}') t) as totals`,
    );
    const captured = await hand.sql`
      select resource, operation, changed, sum(cardinality(resource_ids))::int as count from internal.captured_changes group by 1, 2, 3 order by 1, 2, 3`;
    return { left, captured };
  } catch (error) {
    // The order decides which of two constraints refuses it, but not whether it is refused.
    return { code: (error as { code?: string }).code };
  } finally {
    await hand.sql('rollback');
  }
}
