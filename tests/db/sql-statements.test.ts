import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSqlFolder } from '../../packages/db/src/sql/folder.ts';
import { nameOf, undoing } from '../../packages/db/src/sql/identity.ts';
import { splitStatements } from '../../packages/db/src/sql/lexer.ts';
import { readStatements } from '../../packages/db/src/sql/statements.ts';

describe('a file is split', () => {
  const split = (sql: string) => splitStatements('a.sql', sql).map(({ sql: text, line }) => [line, text]);

  test('at its semicolons, each statement with the line that it begins in', () => {
    expect(split('select 1;\n\n  select\n2 ;;\n;select 3')).toEqual([
      [1, 'select 1'],
      [3, 'select\n2'],
      [5, 'select 3'],
    ]);
    expect(split('')).toEqual([]);
    expect(split(' -- only; words\n/* and; more */ ;')).toEqual([]);
  });

  test.each([
    ['a text', `select 'a;b'`],
    ['a text with a quote in it', `select 'it''s; so'`],
    ['a text with a backslash, which means nothing there', `select 'a\\'`],
    ['a text with escapes', `select e'a\\';b', E'\\\\'`],
    ['a name', `select "a;b"`],
    ['a name with a quote in it', `select "a"";b"`],
    ['a comment to the end of the line', 'select 1 -- one; two\n + 1'],
    ['a comment', 'select /* ; */ 1'],
    ['a comment in a comment', 'select /* a /* b; */ c; */ 1'],
    ['a comment that a text only seems to open', `select '/*' + 1, '*/'`],
    ['a text that a comment only seems to open', `select 1 /* don't */ + 2`],
    ['dollar quotes', 'select $$a;b$$'],
    ['dollar quotes with a tag, and others inside', 'select $body$ a; $$ b; $$ $bod$ c; $body$'],
    ['a name with dollars, which quote nothing', 'select a$b$c'],
    ['a parameter', 'select $1 + $2'],
    ['a text behind dollar quotes', `select $$it's$$, 'a;b'`],
  ])('but not in %s', (_, sql) => {
    expect(split(`${sql};\nselect 2;`)).toEqual([
      [1, sql],
      [1 + sql.split('\n').length, 'select 2'],
    ]);
  });

  test.each([
    ['a text', `'a`, `'`],
    ['a text with escapes', `e'a\\'`, `e'`],
    ['a name', '"a""', '"'],
    ['a comment', '/* a /* b */', '/*'],
    ['dollar quotes', '$a$ b $A$', '$a$'],
  ])('unless %s has no end', (_, sql, mark) => {
    expect(() => split(`select 1;\nselect ${sql};\nselect 2`)).toThrow(
      `a.sql:2: what begins with ${mark} has no end`,
    );
  });
});

describe('a statement', () => {
  test.each([
    ['create function F(a int) returns int', 'function f', 'create or replace function F(a int) returns int'],
    ['CREATE OR REPLACE FUNCTION f()', 'function f', 'CREATE OR REPLACE FUNCTION f()'],
    ['create -- or not\n procedure p ()', 'procedure p', 'create or replace -- or not\n procedure p ()'],
    [
      'create view "View; one" as select 1',
      'view "View; one"',
      'create or replace view "View; one" as select 1',
    ],
    [
      'create trigger t before update of "on", a on Orders for each row execute function f()',
      'trigger t on orders',
      'create or replace trigger t before update of "on", a on Orders for each row execute function f()',
    ],
    [
      'create constraint trigger t after insert on "order" deferrable',
      'trigger t on order',
      'create constraint trigger t after insert on "order" deferrable',
    ],
    [
      'create or replace constraint trigger t after insert on a',
      'trigger t on a',
      'create constraint trigger t after insert on a',
    ],
    [
      'Grant SELECT (id,"Name")\n on orders to reader, "To"',
      'grant select ( id , "Name" ) on orders to reader , "To"',
      'Grant SELECT (id,"Name")\n on orders to reader, "To"',
    ],
  ])('%s makes %s', (sql, identity, ddl) => {
    expect(readStatements('a.sql', sql)).toMatchObject([{ identity, ddl, line: 1 }]);
  });

  test.each([
    ['create table a (b int)', 'CREATE TABLE A is not for this folder'],
    ['create materialized view a as select 1', 'CREATE MATERIALIZED VIEW is not for this folder'],
    ['create temporary view a as select 1', 'CREATE TEMPORARY VIEW is not for this folder'],
    ['create constraint function a()', 'CREATE CONSTRAINT FUNCTION is not for this folder'],
    ['drop function a', 'DROP FUNCTION A is not for this folder'],
    ['revoke all on a from b', 'REVOKE ALL ON is not for this folder'],
    ['"create" function a()', 'is not for this folder'],
    ['\\i other', 'is not for this folder'],
    ['create function', 'a name is missing'],
    [`create function 'a'()`, 'a name is missing'],
    ['create trigger t before update', 'a name is missing'],
    ['create function public.a()', 'public: names stand here without their schema'],
    ['create trigger t before update on public.a', 'public: names stand here without their schema'],
    ['create function a() returns int begin atomic select 1; end', 'BEGIN ATOMIC is not read'],
  ])('%s is refused', (sql, reason) => {
    expect(() => readStatements('a.sql', `grant a to b;\n\n${sql};`)).toThrow(`a.sql:3: `);
    expect(() => readStatements('a.sql', `grant a to b;\n\n${sql};`)).toThrow(reason);
  });

  test.each([
    ['function f', 'drop function if exists "f"'],
    ['procedure "P ""q"""', 'drop procedure if exists "P ""q"""'],
    ['trigger touch on order', 'drop trigger if exists "touch" on "order"'],
    ['trigger "a on b" on "C"', 'drop trigger if exists "a on b" on "C"'],
    ['grant select on orders to reader', 'revoke select on orders from reader'],
    ['grant a , b to c , "To" with admin option', 'revoke a , b from c , "To"'],
    ['grant usage on schema public to a granted by b', 'revoke usage on schema public from a'],
  ])('%s is undone by %s', (identity, sql) => {
    expect(undoing(nameOf(identity))).toBe(sql);
  });
});

describe('a folder', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'comanda-sql-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const write = (name: string, sql: string) => writeFileSync(join(directory, name), sql);
  const hash = () => readSqlFolder(directory).hash;

  test('is refused when it is not there, or has no files', () => {
    expect(() => readSqlFolder(join(directory, 'nowhere'))).toThrow('nowhere has no .sql files');
    write('orders.sql~', 'create view a as select 1');
    expect(() => readSqlFolder(directory)).toThrow('has no .sql files');
  });

  test('has another hash with another text, name or division, but not with other line endings', () => {
    write('a.sql', 'create view a as\nselect 1;\n');
    write('b.sql', '');
    const before = hash();
    write('a.sql', 'create view a as\r\nselect 1;\r\n');
    expect(hash()).toBe(before);
    write('a.sql', 'create view a as\nselect 2;\n');
    expect(hash()).not.toBe(before);
    write('a.sql', '');
    write('b.sql', 'create view a as\nselect 1;\n');
    expect(hash()).not.toBe(before);
  });

  test('gives a statement the same checksum with other line endings', () => {
    write('a.sql', 'create view a as\nselect 1;\n');
    const checksum = () => readSqlFolder(directory).statements[0]?.checksum;
    const before = checksum();
    write('a.sql', '-- a comment before it\r\ncreate view a as\r\nselect 1 ;');
    expect(checksum()).toBe(before);
    expect(before).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    [
      'function',
      'create function one(a int) returns int',
      'create function one(a text) returns int',
      'function one',
    ],
    ['function and procedure', 'create function one()', 'create procedure one()', 'procedure one'],
    ['view', 'create view one as select 1', 'create or replace view "one" as select 2', 'view one'],
    [
      'trigger',
      'create trigger t after insert on a',
      'create constraint trigger t after update on A',
      'trigger t on a',
    ],
    ['grant', 'grant select on a to b', 'GRANT  select ON a TO b', 'grant select on a to b'],
  ])('is refused with one %s twice, naming both places', (_, first, second, identity) => {
    write('a.sql', `\n${first};`);
    write('b.sql', `\n\n${second};`);
    expect(() => readSqlFolder(directory)).toThrow(
      `${join(directory, 'b.sql')}:3: ${identity} is defined in ${join(directory, 'a.sql')}:2 already`,
    );
  });

  test('may have triggers of one name on two tables', () => {
    write('a.sql', 'create trigger t after insert on a; create trigger t after insert on b;');
    expect(readSqlFolder(directory).statements).toHaveLength(2);
  });
});
