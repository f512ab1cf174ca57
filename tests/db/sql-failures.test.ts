import { describe, expect, test } from 'vitest';
import { useClosed } from '../support/use.ts';
import { waitFor } from '../support/wait.ts';
import { labels, openPots, shout, touch, touchPot, whole } from './pots.ts';

const kit = useClosed(openPots, 'test');

describe('a failure', () => {
  const broken = touch.replaceAll('pots', 'lids').replace('touch_pot', 'no_such');

  test('of a function leaves every function as it was, and names file and line', async () => {
    kit.write(whole);
    await kit.apply();
    const before = await kit.versions();
    kit.write({
      pots: `${labels}\n${touch}\n${touchPot('second')}`,
      words: '\nCREATE FUNCTION shout(word text)\n  retuns text language sql as $$ select 1 $$;',
    });
    await expect(kit.apply()).rejects.toThrow(
      `${kit.directory}/words.sql:3: function shout: syntax error at or near "retuns" (42601)`,
    );
    expect(await kit.versions()).toEqual(before);
    kit.write({ words: shout });
    expect((await kit.apply()).objects).toEqual(['function touch_pot']);
  });

  test.each([
    [
      'plpgsql',
      'begin\n  return upper(word;\nend',
      'words.sql:4: function shout: mismatched parentheses at or near ";" (42601)',
    ],
    [
      'plpgsql',
      'begin\n  retrun 1;\nend',
      'words.sql:4: function shout: syntax error at or near "retrun" (42601)',
    ],
    ['sql', '\n select upper(wort)', 'words.sql:4: function shout: column "wort" does not exist (42703)'],
  ])('in the body of a function in %s is found before it is run (%j)', async (language, body, reason) => {
    kit.write({
      words: `\nCREATE FUNCTION shout(word text) returns text\nlanguage ${language} as $$${body}$$;`,
    });
    await expect(kit.apply()).rejects.toThrow(`${kit.directory}/${reason}`);
    expect(await kit.select(`select to_regproc('shout') as made`)).toEqual([{ made: null }]);
  });

  test('of a trigger keeps what was made before it, and the next run goes on', async () => {
    kit.write({ ...whole, zlids: `\n\n${broken}` });
    await expect(kit.apply()).rejects.toThrow(
      `${kit.directory}/zlids.sql:3: trigger wash on lids: function no_such() does not exist (42883)`,
    );
    expect(await kit.touched(1)).toEqual({ touched: 'first' });
    expect(await kit.select('select * from internal.sql_releases')).toEqual([]);
    kit.write({ zlids: broken.replace('no_such', 'touch_pot') });
    expect((await kit.apply()).objects).toEqual(['trigger wash on lids']);
    expect(await kit.select('select release from internal.sql_releases')).toEqual([{ release: '1.0.0' }]);
  });

  test('is a signature that changes without a new name', async () => {
    kit.write(whole);
    await kit.apply();
    kit.write({ words: shout.replace('word text', 'word text, times int') });
    await expect(kit.apply()).rejects.toThrow(
      `${kit.directory}/words.sql:1: the database has shout(text) and shout(text,integer): a signature that changes gets a new name`,
    );
    expect(await kit.select(`select count(*)::int from pg_proc where proname = 'shout'`)).toEqual([
      { count: 1 },
    ]);
  });

  test('is a wrong statement, before anything is applied', async () => {
    kit.write({ ...whole, zz: '-- no data here\ninsert into pots values (1);' });
    await expect(kit.apply()).rejects.toThrow(
      `${kit.directory}/zz.sql:2: "insert into pots values (1);" belongs to no object`,
    );
    expect(await kit.versions()).toEqual({});
  });

  test.each([
    'CREATE VIEW two as select 1; drop table pots;',
    'CREATE FUNCTION two() returns int language sql as $$ select 1 $$; drop table pots;',
  ])('is a second statement on the lines of an object: %s', async (text) => {
    kit.write({ words: `\n${text}` });
    await expect(kit.apply()).rejects.toThrow(
      /words\.sql:2: (view|function) two: cannot insert multiple commands into a prepared statement \(42601\)$/,
    );
    expect(await kit.select(`select to_regclass('pots') as pots, to_regclass('two') as two`)).toEqual([
      { pots: 'pots', two: null },
    ]);
  });

  test('is a missing folder', async () => {
    await expect(kit.apply({ sqlDirectory: `${kit.directory}/no` })).rejects.toThrow('no has no .sql files');
  });
});

describe('during a long transaction', () => {
  const changed = () =>
    kit.write({ pots: `${labels}\n${touch.replace('insert or update', 'insert')}\n${touchPot('second')}` });

  test('a trigger steps aside, and is tried again until it has its lock', async () => {
    kit.write(whole);
    await kit.apply();
    changed();
    await kit.client.query('begin');
    await kit.touched(1);
    const waits: string[] = [];
    const applying = kit.apply({ log: (line) => waits.push(line) });
    await waitFor('an attempt to be given up', () =>
      waits.includes('sql triggers of pots waits for a lock (attempt 1)'),
    );
    await kit.client.query('commit');
    expect((await applying).objects).toEqual(['function touch_pot', 'trigger wash on pots']);
  });

  test('a table is given up with nothing of it half done, and the next run goes on', async () => {
    kit.write(whole);
    await kit.apply();
    const before = await kit.versions();
    changed();
    await kit.client.query('begin');
    await kit.touched(1);
    await expect(kit.apply({ lockAttempts: 1 })).rejects.toThrow(
      'sql triggers of pots got no lock in 1 attempt',
    );
    await kit.client.query('commit');
    expect((await kit.versions()).wash).toBe(before.wash);
    expect((await kit.apply()).objects).toEqual(['trigger wash on pots']);
  });
});
