import { describe, expect, test } from 'vitest';
import { useClosed } from '../support/use.ts';
import { labels, openPots, touch, touchPot, whole } from './pots.ts';

const kit = useClosed(openPots, 'test');

const all = ['function touch_pot', 'function shout', 'view pot_labels', 'trigger wash on pots'];

const objects = () =>
  kit.select('select identity, gone_since from internal.sql_objects order by applied_at, identity');

describe('a folder', () => {
  test('is applied in any order of its files and statements, and reported', async () => {
    kit.write(whole);
    const lines: string[] = [];
    expect(await kit.apply({ log: (line) => lines.push(line) })).toEqual({
      applied: [],
      objects: all,
      dropped: [],
    });
    expect(lines).toEqual([
      'sql: function touch_pot, function shout, view pot_labels',
      'sql: trigger wash on pots',
    ]);
    expect(await kit.touched(1)).toEqual({ touched: 'first' });
    expect(await kit.select('select * from pot_labels')).toEqual([{ label: 'pot', loud: 'POT!' }]);
    expect(await objects()).toEqual(
      expect.arrayContaining(all.map((identity) => ({ identity, gone_since: null }))),
    );
    expect(await kit.select('select release from internal.sql_releases')).toEqual([{ release: '1.0.0' }]);
  });

  test('may have functions that need each other in a circle', async () => {
    kit.write({
      words: `
CREATE FUNCTION ping(n int) returns int language sql as $$ select case when n = 0 then 0 else pong(n - 1) end $$;
CREATE FUNCTION pong(n int) returns int language sql as $$ select ping(n) $$;`,
    });
    expect((await kit.apply()).objects).toEqual(['function ping', 'function pong']);
    expect(await kit.select('select ping(3)')).toEqual([{ ping: 0 }]);
  });

  test('that is applied twice changes nothing', async () => {
    kit.write(whole);
    await kit.apply();
    const states = async () => [
      await kit.versions(),
      await kit.select('select *, xmin::text from internal.sql_objects order by 1'),
      await kit.select('select *, xmin::text from internal.sql_releases'),
      await kit.select(`select xmin::text from pg_class where relname = 'pots'`),
    ];
    const before = await states();
    expect(Object.keys(before[0] ?? {})).toHaveLength(4);
    expect(await kit.apply()).toEqual({ applied: [], objects: [], dropped: [] });
    expect(await states()).toEqual(before);
  });

  test('of which one function has changed makes that one again, in its place', async () => {
    kit.write(whole);
    await kit.apply();
    const before = await kit.versions();
    kit.write({ pots: `${labels}\n${touch}\n${touchPot('second')}` });
    expect((await kit.apply()).objects).toEqual(['function touch_pot']);
    expect(await kit.touched(1)).toEqual({ touched: 'second' });
    const { touch_pot: made, ...others } = await kit.versions();
    expect(before).toMatchObject(others);
    expect(made).not.toBe(before.touch_pot);
    expect(made?.split(' ')[0]).toBe(before.touch_pot?.split(' ')[0]);
  });

  test('of which a trigger and a view have changed makes those again', async () => {
    kit.write(whole);
    await kit.apply();
    const changed = touch.replace('insert or update', 'insert');
    kit.write({
      pots: `${labels.replace('from pots', 'from pots where id > 1')}\n${changed}\n${touchPot('first')}`,
    });
    expect((await kit.apply()).objects).toEqual(['view pot_labels', 'trigger wash on pots']);
    expect(await kit.select('insert into pots (id) values (1) returning touched')).toEqual([
      { touched: 'first' },
    ]);
    expect(await kit.select(`update pots set touched = 'own' returning touched`)).toEqual([
      { touched: 'own' },
    ]);
    expect(await kit.select('select * from pot_labels')).toEqual([]);
  });

  test('may have constraint triggers, and make them of others and back', async () => {
    const check = (kind: string, timing = '') =>
      `CREATE ${kind} check_pot after insert ON pots ${timing} for each row execute function check_pot();
CREATE FUNCTION check_pot() returns trigger language plpgsql as $$ begin if new.label = 'bad' then raise 'no bad pots'; end if; return null; end $$;`;
    const deferred = () =>
      kit.select(`select tginitdeferred as deferred from pg_trigger where tgname = 'check_pot'`);
    kit.write({ check: check('CONSTRAINT TRIGGER', 'deferrable initially deferred') });
    await kit.apply();
    expect(await deferred()).toEqual([{ deferred: true }]);
    const before = await kit.versions();
    expect((await kit.apply()).objects).toEqual([]);
    expect(await kit.versions()).toEqual(before);
    kit.write({ check: check('CONSTRAINT TRIGGER', 'deferrable initially immediate') });
    expect((await kit.apply()).objects).toEqual(['trigger check_pot on pots']);
    expect(await deferred()).toEqual([{ deferred: false }]);
    kit.write({ check: check('TRIGGER') });
    await kit.apply();
    expect(await deferred()).toEqual([{ deferred: false }]);
    kit.write({ check: check('CONSTRAINT TRIGGER', 'deferrable initially deferred') });
    await kit.apply();
    expect(await deferred()).toEqual([{ deferred: true }]);
    await expect(kit.select(`insert into pots (id, label) values (1, 'bad')`)).rejects.toThrow('no bad pots');
  });

  test('has its generated part in made, which is applied with it, and goes as it does', async () => {
    const note = (table: string) =>
      `CREATE FUNCTION note_${table}() returns trigger language plpgsql as $$ begin new.touched := 'noted ' || tg_argv[0]; return new; end $$;
CREATE TRIGGER note before insert ON ${table} for each row execute function note_${table}('${table}');`;
    kit.write({ 'made/pots': note('pots'), 'made/lids': note('lids') });
    expect((await kit.apply()).objects).toEqual([
      'function note_lids',
      'function note_pots',
      'trigger note on lids',
      'trigger note on pots',
    ]);
    expect(await kit.select('insert into lids (id) values (1) returning touched')).toEqual([
      { touched: 'noted lids' },
    ]);
    expect((await kit.apply()).objects).toEqual([]);
    kit.write({ 'made/lids': null });
    await kit.apply({ release: '1.1.0' });
    expect((await kit.apply({ release: '1.2.0' })).dropped).toEqual([
      'trigger note on lids',
      'function note_lids',
    ]);
  });

  test('takes the place of what a migration made before it', async () => {
    await kit.client.query(`${touchPot('migration')} ${touch}`);
    kit.write(whole);
    expect((await kit.apply()).objects).toEqual(all);
    expect(await kit.touched(1)).toEqual({ touched: 'first' });
  });
});

describe('what was changed by hand is put right:', () => {
  test.each([
    ['a function', touchPot('hand').replace('CREATE', 'create or replace'), ['function touch_pot']],
    [
      'a trigger',
      touch.replace('CREATE', 'create or replace').replace('insert or', ''),
      ['trigger wash on pots'],
    ],
    ['a trigger that was switched off', 'alter table pots disable trigger wash', ['trigger wash on pots']],
    [
      'a view',
      'create or replace view pot_labels as select label, label as loud from pots',
      ['view pot_labels'],
    ],
    ['a trigger that was dropped', 'drop trigger wash on pots', ['trigger wash on pots']],
    ['a view that was dropped', 'drop view pot_labels', ['view pot_labels']],
    [
      'a function that was dropped with what needs it',
      'drop function touch_pot cascade',
      ['function touch_pot', 'trigger wash on pots'],
    ],
  ])('%s', async (_, change, made) => {
    kit.write(whole);
    await kit.apply();
    await kit.client.query(change);
    expect((await kit.apply()).objects).toEqual(made);
    expect(await kit.touched(1)).toEqual({ touched: 'first' });
    expect(await kit.select('select * from pot_labels')).toEqual([{ label: 'pot', loud: 'POT!' }]);
    expect((await kit.apply()).objects).toEqual([]);
  });
});
