import { beforeEach, describe, expect, test } from 'vitest';
import { openSqlFolder } from '../support/sql-folder.ts';
import { useClosed } from '../support/use.ts';

const kit = useClosed(openSqlFolder, 'test');
beforeEach(async () => {
  await kit.client.query('create table pots (id int primary key, touched text)');
  kit.write({ words, pots });
  await kit.apply({ release: '1.0.0' });
});

const words = `CREATE FUNCTION shout(word text) returns text language sql immutable as $$ select upper(word) $$;`;
const pots = `
CREATE FUNCTION touch_pot() returns trigger language plpgsql as $$
  begin new.touched := shout('touched'); return new; end $$;
CREATE TRIGGER wash before insert or update ON pots for each row execute function touch_pot();
CREATE VIEW clean_pots as select shout(touched) as word from pots;
CREATE VIEW counted_pots as select count(*) from clean_pots;`;
const potObjects = ['trigger wash on pots', 'view clean_pots', 'view counted_pots', 'function touch_pot'];

const gone = () =>
  kit.select`
    select identity, gone_since as since from internal.sql_objects where gone_since is not null order by 1`;
const there = async () => {
  const [row] = await kit.select(`
    select to_regproc('touch_pot') is not null as "function", to_regclass('clean_pots') is not null as view,
      exists (select from pg_trigger where tgname = 'wash') as trigger`);
  return row;
};

describe('what a folder no longer has', () => {
  test('stays for one release, and the next one drops it, triggers first', async () => {
    kit.write({ pots: null });
    expect(await kit.apply({ release: '1.1.0' })).toEqual({ applied: [], objects: [], dropped: [] });
    expect(await gone()).toEqual(potObjects.toSorted().map((identity) => ({ identity, since: '1.1.0' })));
    expect(await kit.apply({ release: '1.1.0' })).toEqual({ applied: [], objects: [], dropped: [] });
    expect(await there()).toEqual({ function: true, view: true, trigger: true });
    expect(await kit.select('insert into pots values (1) returning touched')).toEqual([
      { touched: 'TOUCHED' },
    ]);
    const lines: string[] = [];
    const { dropped } = await kit.apply({ release: '1.2.0', log: (line) => lines.push(line) });
    expect(dropped[0]).toBe('trigger wash on pots');
    expect(dropped.toSorted()).toEqual(potObjects.toSorted());
    expect(lines).toEqual([
      'sql dropped: trigger wash on pots',
      'sql dropped: view counted_pots, function touch_pot, view clean_pots',
    ]);
    expect(await there()).toEqual({ function: false, view: false, trigger: false });
    expect(await kit.select('select identity from internal.sql_objects')).toEqual([
      { identity: 'function shout' },
    ]);
    expect(await kit.apply({ release: '1.3.0' })).toEqual({ applied: [], objects: [], dropped: [] });
  });

  test('stays when it comes back, without being made again', async () => {
    const before = await kit.select(`select oid, xmin from pg_proc where proname = 'touch_pot'`);
    kit.write({ pots: null });
    await kit.apply({ release: '1.1.0' });
    kit.write({ pots });
    expect(await kit.apply({ release: '1.2.0' })).toEqual({ applied: [], objects: [], dropped: [] });
    expect(await gone()).toEqual([]);
    expect(await kit.select(`select oid, xmin from pg_proc where proname = 'touch_pot'`)).toEqual(before);
    kit.write({ pots: null });
    await kit.apply({ release: '1.3.0' });
    expect(await there()).toEqual({ function: true, view: true, trigger: true });
  });

  test('is made again when it comes back after it was dropped', async () => {
    kit.write({ pots: null });
    await kit.apply({ release: '1.1.0' });
    await kit.apply({ release: '1.2.0' });
    kit.write({ pots });
    expect((await kit.apply({ release: '1.3.0' })).objects.toSorted()).toEqual(potObjects.toSorted());
    expect(await there()).toEqual({ function: true, view: true, trigger: true });
  });

  test('stays, with a warning, while another object needs it, and goes after that', async () => {
    await kit.client.query('create table words (word text default shout($$a$$))');
    kit.write({ pots: null, words: '-- none' });
    await kit.apply({ release: '1.1.0' });
    const lines: string[] = [];
    expect((await kit.apply({ release: '1.2.0', log: (line) => lines.push(line) })).dropped).not.toContain(
      'function shout',
    );
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^warning: function shout stays in the database: cannot drop function shout\(text\) because.*default value for column word of table words/,
      ),
    );
    await kit.client.query('drop table words');
    expect((await kit.apply({ release: '1.2.0' })).dropped).toEqual(['function shout']);
  });

  test('may have been dropped by hand, or by a migration with its table', async () => {
    kit.write({ pots: null });
    await kit.apply({ release: '1.1.0' });
    await kit.client.query('drop table pots cascade; drop function touch_pot');
    expect((await kit.apply({ release: '1.2.0' })).dropped.toSorted()).toEqual(potObjects.toSorted());
    expect(await gone()).toEqual([]);
  });
});

describe('an older release', () => {
  test('leaves a database as a newer one has made it, and says so', async () => {
    kit.write({ words: words.replace('upper', 'lower') });
    await kit.apply({ release: '1.1.0' });
    kit.write({ words, more: 'CREATE VIEW more as select 1;', pots: null });
    const lines: string[] = [];
    expect(await kit.apply({ release: '1.0.9', log: (line) => lines.push(line) })).toEqual({
      applied: [],
      objects: [],
      dropped: [],
    });
    expect(lines).toEqual([
      'warning: functions and triggers stay as release 1.1.0 has made them; this is 1.0.9',
    ]);
    expect(await kit.select(`select shout('Pot')`)).toEqual([{ shout: 'pot' }]);
    expect(await gone()).toEqual([]);
  });

  test('leaves it also when the newer one has made nothing again', async () => {
    await kit.apply({ release: '1.1.0' });
    kit.write({ words: words.replace('upper', 'lower') });
    expect((await kit.apply({ release: '1.0.0' })).objects).toEqual([]);
  });
});

test('the same release with another folder is applied, there and back', async () => {
  kit.write({ words: words.replace('upper', 'lower') });
  expect((await kit.apply()).objects).toEqual(['function shout']);
  expect(await kit.select(`select shout('Pot')`)).toEqual([{ shout: 'pot' }]);
  kit.write({ words });
  expect((await kit.apply()).objects).toEqual(['function shout']);
  expect(await kit.select(`select shout('Pot')`)).toEqual([{ shout: 'POT' }]);
  expect(await kit.select('select count(*)::int from internal.sql_releases')).toEqual([{ count: 2 }]);
});
