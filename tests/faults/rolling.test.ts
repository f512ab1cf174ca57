import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrate } from '../../packages/db/src/migrations/migrate.ts';
import { compare } from '../model/compare.ts';
import { startDrive } from '../model/drive.ts';
import { openService } from '../model/service.ts';
import { roleUrl } from '../support/roles.ts';
import { runOnce } from '../support/server.ts';
import { reportFault, trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { readFreshObjects, readObjects } from './rolling/objects.ts';
import { startReaders } from './rolling/readers.ts';
import { copySql, type SqlCopy } from './rolling/sql-copy.ts';

const callers = 8;

let sql: SqlCopy;

beforeEach(() => {
  sql = copySql();
});
afterEach(() => sql.remove());

const seen = (version: string) => `
CREATE FUNCTION see_order() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN INSERT INTO test.seen VALUES (NEW.id, NEW.location_id, NEW.number, '${version}'); RETURN NULL; END $$;
CREATE TRIGGER see_order AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION see_order();`;
const deleted = `
CREATE FUNCTION capture_delete_payments() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RETURN NULL; END $$;
CREATE TRIGGER capture_delete AFTER DELETE ON payments FOR EACH STATEMENT EXECUTE FUNCTION capture_delete_payments();`;
const oneOrder = 'orders_json(p_location, ARRAY[batch.orders[n]]) j';
const entry = 'CREATE FUNCTION order_entry(id uuid';

/** The changes of newer versions, each after the one before it, and some of the objects that each makes and drops. */
const versions: readonly { release: string; change(): void; made: string[]; dropped?: string[] }[] = [
  {
    release: '1.0.0',
    change() {
      sql.edit('changes', 'NEW.updated_at := date_trunc(', 'NEW.updated_at := /* newer */ date_trunc(');
      sql.editMade('\nBEGIN\n', '\nBEGIN\n-- newer\n');
    },
    made: ['function touch_updated_at', 'function capture_update_products'],
  },
  {
    release: '1.1.0',
    change() {
      for (const row of ['o', 'n'])
        sql.edit('made/products', `, ${row}.image_url, ${row}.tax_rate)`, `, ${row}.tax_rate)`);
      sql.write('made/deleted', deleted);
    },
    made: [
      'function capture_update_products',
      'function capture_delete_payments',
      'trigger capture_delete on payments',
    ],
  },
  {
    release: '1.2.0',
    change() {
      sql.write('seen', seen('one'));
      sql.edit('orders', oneOrder, `${oneOrder}(id, doc)`);
    },
    made: ['function see_order', 'trigger see_order on orders', 'function place_order_batch'],
  },
  {
    release: '1.3.0',
    change() {
      sql.write('seen', seen('two'));
      sql.editMade('WHEN (OLD.* IS', 'WHEN (true AND OLD.* IS');
      sql.edit('hand_orders', 'WHEN (NEW.number < 0', 'WHEN (NEW.total IS NULL OR NEW.number < 0');
    },
    made: ['trigger touch on products', 'trigger touch on product_stock', 'trigger complete on orders'],
  },
  {
    release: '1.4.0',
    // The version before calls it, so it stays.
    change() {
      sql.write('seen', '-- no more');
      sql.edit('order_lists', entry, entry.replace('order_entry', 'order_entry_2'));
    },
    made: ['function order_entry_2'],
  },
  {
    release: '1.5.0',
    change: () => sql.edit('order_lists', 'order_entry_2', 'order_entry'),
    made: [],
    dropped: ['trigger see_order on orders', 'function see_order'],
  },
  // Tables that one order writes, locked in another order than it does: again and again, so that they meet.
  ...Array.from({ length: trials(2, 20) }, (_, turn) => ({
    release: `1.5.${turn}`,
    change: () => sql.editMade('WHEN (true AND ', 'WHEN (true AND true AND '),
    made: ['trigger touch on products', 'trigger touch on product_stock', 'trigger touch on orders'],
  })),
  {
    release: '1.6.0',
    change() {
      sql.restore();
      sql.write('made/deleted', null);
    },
    made: ['function place_order_batch', 'trigger touch on orders'],
  },
  {
    release: '1.7.0',
    change() {},
    made: [],
    dropped: ['trigger capture_delete on payments', 'function capture_delete_payments'],
  },
];

test('newer versions change functions and triggers one after another, and the version before serves on without an error', {
  timeout: 900_000,
}, async () => {
  const service = await openService({ restaurants: 2, callers });
  const { databaseUrl, restaurants, consumer, database } = service;
  await runOnce(
    databaseUrl,
    `create schema test; create table test.seen (id uuid, location_id uuid, number int, version text);
     grant usage on schema test to public; grant select, insert on test.seen to public`,
  );
  const worker = await service.start('worker');
  const driven = startDrive(restaurants, { callers, seed: 10, jobEvery: 100, jobItems: [20, 60] });
  const readers = startReaders(service.target, restaurants);
  const goOn = async () => {
    const [writes, reads] = [driven.answered() + 40, readers.answered() + 14];
    await waitFor('the load to get on', () => driven.answered() >= writes && readers.answered() >= reads, {
      timeoutMs: 60_000,
    });
  };
  const figures = { made: 0, dropped: 0, 'answers meanwhile': 0, 'stepped aside': 0 };
  await goOn();
  for (const { release, change, made, dropped = [] } of versions) {
    change();
    const before = driven.answered() + readers.answered();
    const lines: string[] = [];
    const done = await migrate(roleUrl(databaseUrl, 'owner'), {
      sqlDirectory: sql.directory,
      release,
      rolePrefix: inject('databasePrefix'),
      log: (line) => lines.push(line),
    });
    figures['answers meanwhile'] += driven.answered() + readers.answered() - before;
    expect(done.objects, release).toEqual(expect.arrayContaining(made));
    expect(done.dropped, release).toEqual(expect.arrayContaining(dropped));
    figures.made += done.objects.length;
    figures.dropped += done.dropped.length;
    figures['stepped aside'] += lines.filter((line) => line.includes('waits for a lock')).length;
    await goOn();
    expect(readers.faults, release).toEqual([]);
  }
  await readers.stop();
  await driven.stop();
  await compare(service);
  reportFault('newer versions of functions and triggers while one serves', {
    trials: versions.length,
    real: versions.length,
    ...figures,
    reads: readers.answered(),
  });
  expect(readers.faults).toEqual([]);
  for (const { counts } of restaurants) expect(counts).toMatchObject({ unavailable: 0, unanswered: 0 });
  expect([...consumer.receipts.values()].filter(({ arrivals }) => arrivals.length > 1)).toEqual([]);
  expect(figures['answers meanwhile']).toBeGreaterThan(0);

  // The trigger that came and went has seen every order in between, once.
  const { rows } = await database.pool.query(
    `select count(distinct version)::int as versions, count(*) = count(distinct s.id) as once,
       count(*) = (select count(*) from orders o join
         (select location_id, min(number) as first, max(number) as last from test.seen group by 1) w
         on w.location_id = o.location_id and o.number between w.first and w.last) as whole from test.seen s`,
  );
  expect(rows).toEqual([{ versions: 2, once: true, whole: true }]);
  expect(await readObjects(databaseUrl)).toEqual(await readFreshObjects(sql.directory));
  expect(worker.output() + service.api.output()).not.toMatch(/"level":[56]0/);
  expect((await worker.stop()).code).toBe(0);
  expect((await service.api.stop()).code).toBe(0);
  await service.close();
});
