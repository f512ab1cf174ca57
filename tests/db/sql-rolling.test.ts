import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlFolder, type SqlFolderKit } from '../support/sql-folder.ts';
import { changeUnderLoad } from '../support/under-load.ts';

let kit: SqlFolderKit;
let clients: pg.Client[];

beforeEach(async () => {
  kit = await openSqlFolder();
  await kit.client.query(`
    create table pots (id bigint generated always as identity primary key, label text not null, uses int not null default 0);
    create table lids (id bigint generated always as identity primary key, pot bigint not null references pots, uses int not null default 0);
    create table noted (tab text, row bigint, uses int, function text, trigger text, transaction bigint);
    create table checked (tab text, row bigint);
    create table counted (tab text, row bigint);
    insert into pots (label) select 'pot ' || n from generate_series(1, 20) n`);
  clients = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const client = new pg.Client({ connectionString: kit.url });
      await client.connect();
      return client;
    }),
  );
});
afterEach(async () => {
  for (const client of clients) await client.end();
  await kit.close();
});

/** Records every row that is written, with the version of the function and of the trigger. */
const capture = (version: string, trigger: string) => ({
  notes: `CREATE FUNCTION note_row() returns trigger language plpgsql as $$
    begin insert into noted values (tg_table_name, new.id, new.uses, '${version}', tg_argv[0], pg_current_xact_id()::text::bigint); return null; end $$;`,
  capture: ['pots', 'lids']
    .map(
      (tab) =>
        `CREATE TRIGGER note after insert or update ON ${tab} for each row execute function note_row('${trigger}');`,
    )
    .join('\n'),
});
const check = (timing: string) => `
CREATE FUNCTION check_row() returns trigger language plpgsql as $$ begin insert into checked values (tg_table_name, new.id); return null; end $$;
CREATE CONSTRAINT TRIGGER check_lid after insert ON lids deferrable initially ${timing} for each row execute function check_row();`;
const count = `
CREATE FUNCTION count_row() returns trigger language plpgsql as $$ begin insert into counted values (tg_table_name, new.id); return null; end $$;
CREATE TRIGGER count_lid after insert ON lids for each row execute function count_row();`;
const readers = (word: string) => `
CREATE VIEW busy_pots as select id, uses, loud(label) as label from pots where uses > 0;
CREATE FUNCTION loud(word text) returns text language sql as $$ select '${word} ' || word $$;`;

/** A transaction that writes both tables and reads both, in an order that depends on its number. */
async function work(client: pg.Client, turn: number): Promise<void> {
  const pot = (turn % 20) + 1;
  await client.query('begin');
  try {
    const statements = [
      () => client.query('insert into lids (pot) values ($1)', [pot]),
      () => client.query('update pots set uses = uses + 1 where id = $1', [pot]),
      () =>
        client.query(
          'select count(*) from busy_pots join lids on lids.pot = busy_pots.id where busy_pots.id = $1',
          [pot],
        ),
    ];
    for (let step = 0; step < 3; step += 1) await statements[(turn + step) % 3]?.();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

test('a folder that changes repeatedly under load fails no caller, and every write is captured once', {
  timeout: 180_000,
}, async () => {
  kit.write({ ...capture('f1', 't1'), check: check('deferred'), count: '-- later', readers: readers('a') });
  await kit.apply({ release: '1.0.0' });
  let turns = 0;
  const writers = clients.map((client) => () => work(client, turns++));
  const change = (release: string, files: Record<string, string>) => async () => {
    kit.write(files);
    const { objects, dropped } = await kit.apply({ release });
    expect(objects.length + dropped.length).toBeGreaterThan(0);
  };
  const { operations, during, errors } = await changeUnderLoad(
    writers,
    [
      change('1.0.0', capture('f2', 't1')),
      change('1.0.0', capture('f2', 't2')),
      change('1.1.0', { count }),
      change('1.1.0', { check: check('immediate'), readers: readers('b') }),
      change('1.2.0', { ...capture('f3', 't3'), check: '-- gone', count: '-- gone' }),
      change('1.3.0', capture('f4', 't3')),
      change('1.4.0', capture('f1', 't1')),
    ],
    30,
  );
  expect(errors).toEqual([]);
  expect(operations).toBe(turns);
  expect(during.some((done) => done > 0)).toBe(true);
  const one = async (sql: string) => (await kit.select(sql))[0];

  // Each transaction has written one row of each table, and each of them is noted once.
  expect(
    await one(
      `select count(*)::int as notes, count(distinct (tab, row, uses))::int as rows, count(distinct transaction)::int as transactions from noted`,
    ),
  ).toEqual({ notes: 2 * operations, rows: 2 * operations, transactions: operations });
  expect(
    await one('select count(*)::int as lids, (select sum(uses)::int from pots) as uses from lids'),
  ).toEqual({
    lids: operations,
    uses: operations,
  });

  // By a function and a trigger that were there together, at least between two changes.
  const pairs = await kit.select('select distinct function, trigger from noted order by 1, 2');
  const allowed = ['f1 t1', 'f2 t1', 'f2 t2', 'f3 t2', 'f3 t3', 'f4 t3', 'f1 t3'];
  const seen = (pairs as { function: string; trigger: string }[]).map(
    (pair) => `${pair.function} ${pair.trigger}`,
  );
  expect(allowed).toEqual(expect.arrayContaining(seen));
  expect(seen).toEqual(expect.arrayContaining(['f1 t1', 'f2 t1', 'f2 t2', 'f3 t3', 'f4 t3']));

  // Objects that came and went worked without a gap in between.
  for (const tab of ['checked', 'counted'])
    expect(
      await one(`select count(*) > 0 as "some", count(*) = count(distinct row) as once,
        count(*) = (select count(*) from lids where id between min(t.row) and max(t.row)) as whole from ${tab} t`),
      tab,
    ).toEqual({ some: true, once: true, whole: true });
  expect(
    await kit.select(`select tgname from pg_trigger where tgname in ('check_lid', 'count_lid')`),
  ).toEqual([]);
});
