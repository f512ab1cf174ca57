import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { compare } from '../model/compare.ts';
import { startDrive } from '../model/drive.ts';
import { openService } from '../model/service.ts';
import { createChance } from '../support/chance.ts';
import { createTestDatabase } from '../support/database.ts';
import { roleUrl } from '../support/roles.ts';
import { reportFault, seedOf, trials } from '../support/trials.ts';
import { type Applier, type ApplierProgram, buildApplier } from './rolling/applier.ts';
import { buildGate } from './rolling/gate.ts';
import { readFreshObjects, readObjects } from './rolling/objects.ts';
import { startReaders } from './rolling/readers.ts';
import { copySql, type SqlCopy } from './rolling/sql-copy.ts';

const seed = seedOf(11);
const rounds = trials(1, 10);

/**
 * The failures of the program that applies, in turn. Frozen: nothing is heard of it, as when its machine loses power.
 */
const faults = ['killed', 'its session ended', 'frozen', 'killed at any moment'] as const;

let sql: SqlCopy;
let program: ApplierProgram;

beforeEach(async () => {
  sql = copySql();
  program = await buildApplier();
});
afterEach(() => {
  program.dispose();
  sql.remove();
});

/** Makes the folder that of version `turn`: functions and triggers that others have too, and some of its own. */
function change(turn: number): string {
  sql.restore();
  sql.edit('changes', 'NEW.updated_at := date_trunc(', `NEW.updated_at := /* ${turn} */ date_trunc(`);
  sql.editMade('\nBEGIN\n', `\nBEGIN\n-- ${turn}\n`);
  sql.editMade('WHEN (OLD.* IS', `WHEN (${turn} >= 0 AND OLD.* IS`);
  sql.edit('hand_orders', 'WHEN (NEW.number < 0', `WHEN (${turn} >= 0 AND NEW.number < 0`);
  sql.edit('orders', 'v_number int;', `v_number int; -- ${turn}`);
  const name = `own_${turn}`;
  sql.write(
    'own',
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER ${name} AFTER UPDATE ON product_stock FOR EACH ROW EXECUTE FUNCTION ${name}();
CREATE VIEW ${name} AS SELECT id FROM orders WHERE number > ${turn};`,
  );
  return `1.${turn}.0`;
}

test('the process that applies functions and triggers may die at any statement: the next start ends with exactly those of the folder, and no serving process notices', {
  timeout: 1_800_000,
}, async () => {
  const chance = createChance(seed);
  const service = await openService({ restaurants: 2, callers: 2 });
  const { databaseUrl, restaurants } = service;
  // The same versions, one after another, without a fault.
  const calm = await createTestDatabase();
  const gate = await buildGate(databaseUrl);
  const worker = await service.start('worker');
  const driven = startDrive(restaurants, { callers: 2, seed, paceMs: 5 });
  const readers = startReaders(service.target, restaurants);
  const apply = (url: string, release: string) =>
    migrate(roleUrl(url, 'owner'), {
      sqlDirectory: sql.directory,
      release,
      rolePrefix: inject('databasePrefix'),
    });

  await gate.open();
  const began = performance.now();
  const whole = program.start(databaseUrl, sql.directory, change(0));
  expect((await whole.word)?.error).toBeUndefined();
  const wholeMs = performance.now() - began;
  await apply(calm.url, '1.0.0');
  const figures = { statements: await gate.passed(), real: 0, 'partly done': 0, 'left to the next': 0 };

  for (let turn = 1; turn <= rounds * faults.length; turn += 1) {
    const fault = faults[turn % faults.length] ?? 'killed';
    const release = change(turn);
    // Half of them behind the functions, which are all made or none; frozen where tables are held.
    const triggers = figures.statements - 15;
    const place = chance.between(
      fault === 'frozen' ? triggers : chance.pick([1, triggers]),
      figures.statements,
    );
    const what = `seed ${seed}, turn ${turn}: ${fault} after statement ${place}`;
    if (fault === 'killed at any moment') await gate.open();
    else await gate.close(place);
    const applier = program.start(databaseUrl, sql.directory, release);
    if (fault === 'killed at any moment') await sleep(chance.between(0, wholeMs));
    else await befall(fault, applier, await gate.standing());
    await end(applier);
    await gate.open();
    const { objects, dropped } = await apply(databaseUrl, release);
    figures['left to the next'] += objects.length + dropped.length;
    if (objects.length > 0) figures.real += 1;
    if (objects.length > 0 && !objects.includes('function place_order_batch')) figures['partly done'] += 1;
    expect(await apply(databaseUrl, release), what).toEqual({ applied: [], objects: [], dropped: [] });
    await apply(calm.url, release);
    expect(await readObjects(databaseUrl), what).toEqual(await readObjects(calm.url));
  }

  async function befall(
    fault: 'killed' | 'its session ended' | 'frozen',
    { process, word }: Applier,
    session: number,
  ) {
    if (fault === 'killed') return;
    if (fault === 'its session ended') await gate.terminate(session);
    else {
      process.kill('SIGSTOP');
      await gate.open();
      await gate.ended(session);
      process.kill('SIGCONT');
    }
    expect((await word)?.error).toContain('terminating connection');
  }
  async function end({ process, word }: Applier) {
    process.kill('SIGKILL');
    await word;
  }

  await readers.stop();
  await driven.stop();
  await gate.dispose();
  await compare(service);
  reportFault('the process that applies functions and triggers dies', {
    trials: rounds * faults.length,
    seed,
    ...figures,
    reads: readers.answered(),
  });
  expect(readers.faults, `seed ${seed}`).toEqual([]);
  for (const { counts } of restaurants)
    expect(counts, `seed ${seed}`).toMatchObject({ unavailable: 0, unanswered: 0 });
  expect(figures.real).toBeGreaterThanOrEqual(rounds * 3);

  // Two versions later nothing is left of those in between.
  sql.restore();
  sql.write('own', '-- none');
  for (const release of ['2.0.0', '2.1.0']) await apply(databaseUrl, release);
  expect(await readObjects(databaseUrl)).toEqual(await readFreshObjects(sql.directory));
  expect((await worker.stop()).code).toBe(0);
  expect((await service.api.stop()).code).toBe(0);
  await calm.drop();
  await service.close();
});
