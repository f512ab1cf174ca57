import { constraintSentences, hasSentence, refusalSentence, sqlState, tables } from '@comanda/db';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { tableAccess, viewsForPeople } from '../../packages/db/src/roles/access.ts';
import { type Hand, useHand } from '../support/by-hand.ts';
import { useDatabase, useTestDatabase } from '../support/database.ts';
import { thrownBy } from '../support/thrown.ts';

const own = useTestDatabase();
const owner = useDatabase(own);
const hand = useHand(own, { role: 'admin' });

/** The tables of which people write something. */
const edited = tables
  .filter(({ access }) => access.people === 'edit' || access.people === 'keep')
  .map(({ name }) => name);

/** PostgreSQL's message where a person reads no sentence. */
const raw =
  /violates|constraint|permission denied|invalid input|out of range|null value|duplicate key|relation|Failing row|[\\^$]|\bFOREIGN\b|\bCHECK\b/;

interface Found {
  table: string;
  name: string;
  columns: string[];
  target: string | null;
}

const find = async (sql: string): Promise<Found[]> => {
  const { rows }: pg.QueryResult<Found> = await owner.pool.query(sql, [edited]);
  expect(rows.length).toBeGreaterThan(5);
  return rows;
};

const columnsOf = (numbers: string, relation: string) =>
  `array(select a.attname::text from unnest(${numbers}) with ordinality k (number, at)
     join pg_attribute a on a.attrelid = ${relation} and a.attnum = k.number order by k.at)`;

const constraints = (kind: 'c' | 'f') => `
  select r.relname as "table", c.conname as name, ${columnsOf('c.conkey', 'c.conrelid')} as columns, t.relname as target
  from pg_constraint c join pg_class r on r.oid = c.conrelid left join pg_class t on t.oid = c.confrelid
  where c.contype = '${kind}' and c.connamespace = 'public'::regnamespace and c.conparentid = 0 and r.relname = any ($1)`;

const uniques = `
  select r.relname as "table", c.relname as name, ${columnsOf('i.indkey::int2[]', 'i.indrelid')} as columns, null as target
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class r on r.oid = i.indrelid
  where i.indisunique and r.relnamespace = 'public'::regnamespace and r.relname = any ($1)`;

const required = `
  select r.relname as "table", a.attname as name, array[a.attname::text] as columns, null as target
  from pg_attribute a join pg_class r on r.oid = a.attrelid
  where a.attnotnull and a.attnum > 0 and r.relnamespace = 'public'::regnamespace and r.relname = any ($1)`;

const id = '01a1fb9e-d728-7121-ae74-41faa214693d';
const keyOf = (columns: readonly string[]) =>
  `Key (${columns.join(', ')})=(${columns.map((name) => (name.endsWith('id') ? id : 'TAKEN')).join(', ')})`;

/** Fails naming what has no sentence. */
function expectSentence(what: string, sentence: string | undefined, table: string): void {
  expect([what, sentence]).toEqual([what, expect.stringContaining(table)]);
  expect([what, sentence]).toEqual([what, expect.not.stringMatching(raw)]);
  expect(sentence, what).not.toContain(id);
  expect(sentence, what).toMatch(/^[a-z"]/);
}

describe('a person reads a sentence, not PostgreSQL', () => {
  it('where a check refuses', async () => {
    for (const { table, name } of await find(constraints('c'))) {
      expect([name, hasSentence(name)]).toEqual([name, true]);
      const text = refusalSentence({ code: '23514', message: `violates "${name}"`, table, constraint: name });
      expectSentence(name, text, table);
    }
  });

  it('where a domain refuses', async () => {
    const { rows } = await owner.pool.query<{ name: string }>(
      `select conname as name from pg_constraint where contypid <> 0 and contype = 'c' and connamespace = 'public'::regnamespace`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { name } of rows) {
      expect([name, hasSentence(name)]).toEqual([name, true]);
      const table = tables.find((each) => name.startsWith(`${each.name}_`))?.name ?? 'a table';
      const text = refusalSentence({ code: '23514', message: `violates "${name}"`, constraint: name });
      expectSentence(name, text, table);
    }
  });

  it('where another row has the key', async () => {
    for (const { table, name, columns } of await find(uniques)) {
      const detail = `${keyOf(columns)} already exists.`;
      const text = refusalSentence({
        code: '23505',
        message: 'duplicate key',
        table,
        constraint: name,
        detail,
      });
      expectSentence(name, text, table);
      const named = columns.filter((column) => column !== 'location_id');
      if (!(name in constraintSentences)) for (const column of named) expect(text, name).toContain(column);
      else expect(named.length === 0 || text?.includes(named[0] ?? ''), name).toBe(true);
    }
  });

  it('where a row that is named is not there, and where one is still named', async () => {
    for (const { table, name, columns, target } of await find(constraints('f'))) {
      const detail = `${keyOf(columns)} is not present in table "${target}".`;
      const state = { code: '23503', message: 'violates foreign key', table, constraint: name };
      const text = refusalSentence({ ...state, detail });
      expectSentence(name, text, table);
      expect(text, name).toContain(columns.at(-1));
      for (const code of ['23503', '23001']) {
        const message = `update or delete on table "${target}" violates RESTRICT setting of foreign key constraint "${name}" on table "${table}"`;
        expectSentence(name, refusalSentence({ ...state, code, message }), table);
      }
    }
  });

  it('where a column needs a value', async () => {
    for (const { table, name } of await find(required)) {
      const message = `null value in column "${name}" of relation "${table}" violates not-null constraint`;
      const detail = `Failing row contains (${id}, secret).`;
      const text = refusalSentence({ code: '23502', message, detail, table, column: name });
      expectSentence(`${table}.${name}`, text, `${table}.${name}`);
    }
  });

  it('for every column that an admin may not write, and every table that an admin may not delete from', async () => {
    const refused: string[] = [];
    for (const { table, admin, edited: may, guarded } of tableAccess.filter(
      ({ table: name, admin: rights }) => !name.includes('.') && rights.includes('select'),
    )) {
      const columns = Object.keys(tables.find(({ name }) => name === table)?.columns ?? {});
      const closed = columns.filter((column) => !may.includes(column) && !guarded.includes(column));
      const statements = [
        ...closed.map((column) => `update "${table}" set "${column}" = default where false`),
        ...(admin.includes('delete') ? [] : [`delete from "${table}" where false`]),
        ...(admin.includes('insert') ? [] : [`insert into "${table}" default values`]),
      ];
      for (const statement of statements) {
        expectSentence(statement, await sentenceOf(hand, statement), table);
        refused.push(statement);
      }
    }
    for (const view of viewsForPeople)
      expectSentence(view, await sentenceOf(hand, `delete from ${view}`), view);
    expect(refused.length).toBeGreaterThan(50);
  });

  it('and no sentence is of a constraint that is gone', async () => {
    const { rows } = await owner.pool.query<{ name: string }>(
      `select conname as name from pg_constraint union select relname from pg_class where relkind = 'i'`,
    );
    const there = new Set(rows.map(({ name }) => name));
    expect(Object.keys(constraintSentences).filter((name) => !there.has(name))).toEqual([]);
  });
});

describe('what PostgreSQL itself cannot read', () => {
  it.each([
    [`select '99999'::smallint`, '99999 does not fit: write a number from -32768 to 32767'],
    ['select 70000::smallint', 'the number does not fit: write a number from -32768 to 32767'],
    ['select 1e20::numeric(12,2)', 'the number does not fit: write a smaller number'],
    [`select '12,50'::numeric`, '"12,50" is no number: write digits, and a point before decimals, as 12.50'],
    [`select 'many'::int`, '"many" is no whole number: write digits alone'],
    [`select 'returned'::order_status`, '"returned" is none of its values: choose one that the editor shows'],
    [`select 'x'::uuid`, '"x" is no id: copy one from the row that is meant'],
    [`select 'tomorrows'::timestamptz`, '"tomorrows" is no time: write it as 2026-11-22 21:00:00Z'],
    [`select 'a,b'::text[]`, '"a,b" is no list: write it in braces, as {one,two}'],
  ])('%s', async (statement, sentence) => {
    expect(await sentenceOf(hand, statement)).toBe(sentence);
  });

  it('a sentence of a guard, and of SQL that is wrong, stays as it is', async () => {
    expect(await sentenceOf(hand, 'selec 1')).toBeUndefined();
    expect(refusalSentence({ code: 'CM008', message: 'a key is revoked for good' })).toBeUndefined();
  });
});

async function sentenceOf({ sql }: Hand, statement: string): Promise<string | undefined> {
  const error = await thrownBy(sql(statement));
  const state = sqlState(error);
  if (state === undefined) throw new Error(`not refused: ${statement}`, { cause: error });
  return refusalSentence(state);
}
