import { beforeAll, describe, expect, it } from 'vitest';
import { tables } from '../../packages/db/src/tables/index.ts';
import { isAudited } from '../../packages/db/src/tables/table.ts';
import { createShop } from '../api/catalog-shop.ts';
import { useHand } from '../support/by-hand.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
import { type AcceptedEdit, acceptedEdits } from './accepted-edits.ts';
import { useEditedShop } from './edited-shop.ts';
import { valuesFor } from './hand-edit.ts';
import { type Rows, readRows, replay } from './replayed-entries.ts';

// An admin's edits of a support day are accepted, and the audit records them as they were: the author, each statement,
// and every row. An undo that the entry offers works, and a missing undo is declared beforehand.

const api = useEditedShop();
const owner = useHand(api);
const admin = useHand(api, { role: 'admin' });
const audited = tables.filter(isAudited);
let name: string;

beforeAll(async () => {
  const { locationId } = api;
  await createShop(api, locationId);
  await placeOrder(api, await createOrderKitchen(api));
  await admin.sql(`insert into menus (location_id, name) values ($1, 'Lunch'), ($1, 'Dinner')`, [locationId]);
  await admin.sql`insert into menu_categories (location_id, menu_id, category_id)
    select ${locationId}, m.id, c.id from menus m join categories c using (location_id)
    where location_id = ${locationId} and m.name = 'Lunch' and c.name = 'Food'`;
  name = (await admin.sql<{ name: string }>('select session_user::text as name'))[0]?.name ?? '';
});

interface Recorded {
  id: string;
  statement: string;
  actor_name: string;
  application_name: string;
  refusal: string | null;
}

/** The statements that the audit has of the transaction of that moment, without what went by cascade. */
const entriesOf = (moment: string): Promise<Recorded[]> =>
  owner.sql<Recorded>`
    select id, format('%s %s %s', operation, relation, row_count) as statement, actor_name, application_name,
      undo_refusal(id) as refusal
    from audit_entries where created_at = ${moment}::timestamptz(3) and actor_kind = 'database' and caused_by is null
    order by id desc`;

const without = (rows: Rows, follows: readonly string[], countsOn?: string) =>
  Object.fromEntries(
    [...rows]
      .filter(([table]) => !follows.includes(table))
      .map(([table, known]) => [
        table,
        // When a key was last used the service writes at any time.
        new Map([...known].map(([key, { [countsOn ?? '']: _, last_used_at: __, ...row }]) => [key, row])),
      ]),
  );

/** Carries an edit out as an admin; the moment of its transaction. */
async function carryOut(edit: () => Promise<unknown>): Promise<string> {
  await admin.sql('begin');
  try {
    const [{ moment } = { moment: '' }] = await admin.sql<{ moment: string }>`
      select now()::timestamptz(3)::text as moment`;
    await edit();
    await admin.sql('commit');
    return moment;
  } finally {
    // Where it was refused; else nothing is under way.
    await admin.sql('rollback');
  }
}

/** Holds what the audit has of the edit against the rows, and its undo against what its entries say of it. */
async function expectRecorded(
  edit: () => Promise<unknown>,
  { entries, follows = [], countsOn, kept }: Omit<AcceptedEdit, 'what' | 'sql'>,
): Promise<void> {
  const before = await readRows(owner, audited);
  const moment = await carryOut(edit);
  const after = await readRows(owner, audited);
  const recorded = await entriesOf(moment);
  expect(recorded.map((entry) => entry.statement).toSorted()).toEqual(entries.toSorted());
  for (const entry of recorded) expect(entry).toMatchObject({ actor_name: name, application_name: 'psql' });
  expect(without(await replay(owner, before, moment), follows)).toEqual(without(after, follows));

  const refusals = recorded.flatMap(({ refusal }) => refusal ?? []);
  if (kept === undefined) {
    expect(refusals).toEqual([]);
    await owner.sql('begin');
    try {
      for (const { id } of recorded) await owner.sql('select undo_hand_edit($1)', [id]);
      expect(without(await readRows(owner, audited), follows, countsOn)).toEqual(
        without(before, follows, countsOn),
      );
    } finally {
      await owner.sql('rollback');
    }
    return;
  }
  expect(refusals).toEqual([expect.stringMatching(kept)]);
  for (const { id, refusal } of recorded)
    if (refusal !== null)
      await expect(owner.sql('select undo_hand_edit($1)', [id])).rejects.toMatchObject({
        code: expect.stringMatching(/^CM/),
      });
}

// The edits of one day, in its order: an edit meets the rows that those before it left.
describe('an admin', { shuffle: false }, () => {
  it.each(acceptedEdits)('writes $what, and the audit records it', async (edit) => {
    await expectRecorded(() => admin.sql(edit.sql, valuesFor(edit.sql, api.locationId)), edit);
  });

  it('brings 150 products by COPY, and the audit records it', async () => {
    const lines = Array.from({ length: 150 }, (_, n) => `${api.locationId},copied-${n},Copied ${n},${n}.5`);
    await expectRecorded(
      () => admin.copy('copy products (location_id, sku, name, price) from stdin (format csv)', lines),
      { entries: ['insert products 150'] },
    );
  });
});
