import { expect, onTestFinished, test } from 'vitest';
import { createChance } from '../support/chance.ts';
import { trials } from '../support/trials.ts';
import { batches, calls } from './walk/calls.ts';
import { catalogComparison, compareOrders, compareProducts, compareStock } from './walk/comparisons.ts';
import { openGround } from './walk/ground.ts';
import { handEdit, lateEdits } from './walk/hand-edits.ts';

const operations = trials(150, 5_000);
/** COMANDA_SEED walks the same way again. */
const seed = Number(process.env.COMANDA_SEED ?? Math.floor(Math.random() * 1e9));

// Calls over two processes, jobs, syncs, SQL by hand, transactions rolled back in part or as a whole, and some that
// commit late. After all of them, lists, totals, documents and the catalog equal the results of plain queries.
test(`after a random walk lists, totals and the catalog are what brute force finds (COMANDA_SEED=${seed})`, async () => {
  const chance = createChance(seed);
  const ground = await openGround(chance);
  const compareCatalog = catalogComparison();
  const done = { calls: 0, batches: 0, edits: 0, rolledBack: 0, open: 0, late: 0 };
  const comparisons = [
    compareOrders,
    compareOrders,
    compareOrders,
    compareProducts,
    compareStock,
    compareCatalog,
  ];
  let compared = 0;

  const operation = (): (() => Promise<unknown>) => {
    // Of its own: what runs at once draws in any order.
    const own = { ...ground, chance: createChance(chance.between(0, 1e9)) };
    if (chance.percent(12)) {
      done.batches += 1;
      const act = chance.pick(batches);
      return () => act(own);
    }
    const roll = chance.between(1, 100);
    if (roll <= 45) {
      done.calls += 1;
      const act = chance.pick(calls);
      return () => act(own);
    }
    if (roll <= 75) {
      done.edits += 1;
      const text = handEdit(ground);
      return () => ground.transact([text]);
    }
    const edits = [handEdit(ground), 'savepoint s', handEdit(ground), handEdit(ground)];
    if (roll <= 82) {
      done.rolledBack += 1;
      return () => ground.transact(['begin', ...edits, 'rollback']);
    }
    if (roll <= 90) {
      done.rolledBack += 1;
      const begin = chance.pick(['begin', 'begin isolation level repeatable read']);
      return () => ground.transact([begin, ...edits, 'rollback to s', 'commit']);
    }
    if (done.open < done.late + 3) {
      done.open += 1;
      const edits = lateEdits(ground);
      return () => ground.transact(edits, true);
    }
    done.late += 1;
    const how = chance.pick(['commit', 'commit', 'rollback'] as const);
    return () => ground.endOne(how);
  };

  onTestFinished(() => ground.close());
  for (let began = 0; began < operations; ) {
    const together = Array.from({ length: chance.between(2, 6) }, operation);
    began += together.length;
    await Promise.all(together.map((act) => act()));
    await Promise.all(comparisons.map((compare) => compare(ground)));
    compared += comparisons.length;
  }
  while (done.late < done.open) {
    done.late += 1;
    await ground.endOne('commit');
    await Promise.all(comparisons.map((compare) => compare(ground)));
  }
  console.info(`random walk: seed ${seed}, ${JSON.stringify(done)}, ${compared} comparisons`);
  for (const count of Object.values(done)) expect(count).toBeGreaterThan(operations / 100);
}, 900_000);
