import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSqlFolder } from '../../packages/db/src/migrations/sql/folder.ts';
import { dropping, nameOf } from '../../packages/db/src/migrations/sql/identity.ts';
import { readStatements } from '../../packages/db/src/migrations/sql/statements.ts';

describe('an object', () => {
  test.each([
    ['CREATE FUNCTION f(a int) returns int', 'function f', 'CREATE OR REPLACE FUNCTION f(a int) returns int'],
    ['CREATE PROCEDURE p\n() language sql', 'procedure p', 'CREATE OR REPLACE PROCEDURE p\n() language sql'],
    ['CREATE VIEW v_2 AS\nSELECT 1', 'view v_2', 'CREATE OR REPLACE VIEW v_2 AS\nSELECT 1'],
    [
      'CREATE TRIGGER t BEFORE UPDATE OF a, b ON orders FOR EACH ROW WHEN (OLD.a = 1) EXECUTE FUNCTION f()',
      'trigger t on orders',
      'CREATE OR REPLACE TRIGGER t BEFORE UPDATE OF a, b ON orders FOR EACH ROW WHEN (OLD.a = 1) EXECUTE FUNCTION f()',
    ],
    [
      `CREATE TRIGGER t AFTER INSERT\n  ON orders EXECUTE FUNCTION refuse('is ON strike; no more')`,
      'trigger t on orders',
      `CREATE OR REPLACE TRIGGER t AFTER INSERT\n  ON orders EXECUTE FUNCTION refuse('is ON strike; no more')`,
    ],
    [
      'CREATE CONSTRAINT TRIGGER t AFTER INSERT ON orders\nDEFERRABLE',
      'trigger t on orders',
      'CREATE CONSTRAINT TRIGGER t AFTER INSERT ON orders\nDEFERRABLE',
    ],
  ])('%s is %s', (sql, identity, ddl) => {
    const checksum = createHash('sha256').update(sql).digest('hex');
    expect(readStatements('a.sql', `-- what it is for\n\n${sql};\n`)).toEqual([
      expect.objectContaining({ identity, ddl, checksum, file: 'a.sql', line: 3 }),
    ]);
  });

  test.each([
    ['lines in the first column', '$$\nBEGIN\nINSERT INTO a VALUES (1);\n\n-- and so on;\nEND $$'],
    ['other dollar quotes', '$f$\nSELECT $$\n;\n$$ || $x$;\n$x$;\n$f$'],
    ['parameters and a dollar in a format', `$$\nSELECT format('%1$s; %2$I', $1, $2);\n$$`],
    ['a dollar quote on one line', '$$ SELECT 1; $$ STABLE'],
    ['a comment in its head', `\n-- of one; of $$\n$$ SELECT 1;\n $$`],
    ['a CREATE that is not in the first column', '$$\n  CREATE VIEW a AS SELECT 1;\n$$'],
  ])('ends behind its body, which may hold %s', (_, body) => {
    const text = `CREATE FUNCTION f() RETURNS int LANGUAGE sql AS ${body};\n-- the next one\nCREATE VIEW v AS SELECT 1 ;\n`;
    const [first, second] = readStatements('a.sql', text);
    expect(first?.ddl).toBe(`CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS ${body}`);
    expect(second).toMatchObject({ identity: 'view v', ddl: 'CREATE OR REPLACE VIEW v AS SELECT 1' });
    expect(readStatements('a.sql', text)).toHaveLength(2);
  });

  const before = 'CREATE VIEW v AS SELECT 1;\n\n';
  test.each([
    ['a statement of another kind', 'DROP TABLE a;'],
    ['a grant', 'GRANT SELECT ON a TO b;'],
    ['rows', '  INSERT INTO a VALUES (1);'],
    ['another kind of object', 'CREATE TABLE a (b int);'],
    ['a materialized view', 'CREATE MATERIALIZED VIEW a AS SELECT 1;'],
    ['lower case', 'create function a() returns int language sql as $$ select 1 $$;'],
    ['OR REPLACE', 'CREATE OR REPLACE FUNCTION a() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;'],
    ['a schema', 'CREATE FUNCTION public.a() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;'],
    ['a name in quotes', 'CREATE VIEW "a" AS SELECT 1;'],
    ['a name in capitals', 'CREATE VIEW Orders AS SELECT 1;'],
    ['no name', 'CREATE VIEW'],
    ['an object that is not in the first column', '  CREATE VIEW a AS SELECT 1;'],
    ['a comment of another kind', '/* why */'],
    ['a command of psql', '\\i other.sql'],
  ])('%s is refused with file and line', (_, text) => {
    const start = `a.sql:3: "${text.length > 60 ? `${text.slice(0, 60)}…` : text}" belongs to no object: an object begins`;
    expect(() => readStatements('a.sql', `${before}${text}\n`)).toThrow(start);
  });

  test.each([
    [
      'a body without an end',
      'CREATE FUNCTION a() RETURNS int LANGUAGE sql AS $$\n  SELECT 1;\n\n',
      'a.sql:3: "CREATE FUNCTION a() RETURNS int LANGUAGE sql AS $$" has no end: an object begins',
    ],
    [
      'a missing semicolon before the next object',
      'CREATE VIEW a AS SELECT 1\n\nCREATE VIEW b AS SELECT 2;',
      'a.sql:5: "CREATE VIEW b AS SELECT 2;" begins before the object of line 3 has ended: an object begins',
    ],
    [
      'words behind the semicolon',
      'CREATE VIEW a AS SELECT 1; -- why\nCREATE VIEW b AS SELECT 2;',
      'a.sql:4: "CREATE VIEW b AS SELECT 2;" begins before the object of line 3 has ended',
    ],
    [
      'a second object begun inside a body',
      'CREATE FUNCTION a() RETURNS int LANGUAGE sql AS $$\nCREATE VIEW b AS SELECT 2;\n$$;',
      'a.sql:4: "CREATE VIEW b AS SELECT 2;" begins before the object of line 3 has ended',
    ],
    [
      'a body without dollar quotes',
      'CREATE FUNCTION a() RETURNS int\nBEGIN ATOMIC\n  SELECT 1;\nEND;',
      'a.sql:6: "END;" belongs to no object',
    ],
    ['a statement behind an object', 'CREATE VIEW a AS SELECT 1;\nDROP VIEW b;', 'a.sql:4: "DROP VIEW b;"'],
    [
      'a trigger without a table',
      'CREATE TRIGGER t BEFORE UPDATE;',
      'a.sql:3: trigger t names no table: ON in capitals and a plain name',
    ],
    [
      'a trigger on a table with its schema',
      'CREATE TRIGGER t BEFORE UPDATE ON public.orders EXECUTE FUNCTION f();',
      'a.sql:3: trigger t names no table',
    ],
  ])('%s is refused with file and line', (_, text, reason) => {
    expect(() => readStatements('a.sql', `${before}${text}`)).toThrow(reason);
  });

  test.each([
    ['function f', 'drop function if exists f'],
    ['procedure p_2', 'drop procedure if exists p_2'],
    ['view v', 'drop view if exists v'],
    ['trigger touch on orders', 'drop trigger if exists touch on orders'],
  ])('%s is dropped by %s', (identity, sql) => {
    expect(dropping(nameOf(identity))).toBe(sql);
  });

  test.each(['table orders', 'function', 'function f; drop table orders', 'trigger "a b" on c'])(
    '%s is no name of an object',
    (identity) => {
      expect(() => nameOf(identity)).toThrow(`sql_objects has an unknown ${identity}`);
    },
  );
});

describe('a folder', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'comanda-sql-'));
    mkdirSync(join(directory, 'made'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const write = (name: string, sql: string) => writeFileSync(join(directory, name), sql);
  const hash = () => readSqlFolder(directory).hash;

  test('is refused when it is not there, or has no files', () => {
    expect(() => readSqlFolder(join(directory, 'nowhere'))).toThrow('nowhere has no .sql files');
    write('orders.sql~', 'CREATE VIEW a AS SELECT 1;');
    expect(() => readSqlFolder(directory)).toThrow('has no .sql files');
  });

  test('has the files of made as well, in the order of all names', () => {
    write('made/orders.sql', 'CREATE VIEW b AS SELECT 2;');
    write('orders.sql', 'CREATE VIEW c AS SELECT 3;');
    write('audit.sql', 'CREATE VIEW a AS SELECT 1;');
    expect(readSqlFolder(directory).statements.map(({ file, name }) => [file, name])).toEqual([
      [join(directory, 'audit.sql'), 'a'],
      [join(directory, 'made/orders.sql'), 'b'],
      [join(directory, 'orders.sql'), 'c'],
    ]);
  });

  test('needs no folder made', () => {
    rmSync(join(directory, 'made'), { recursive: true });
    write('a.sql', 'CREATE VIEW a AS SELECT 1;');
    expect(readSqlFolder(directory).statements).toHaveLength(1);
  });

  test('has another hash with another text, name or division, but not with other line endings', () => {
    write('a.sql', 'CREATE VIEW a AS\nselect 1;\n');
    write('b.sql', '');
    const before = hash();
    write('a.sql', 'CREATE VIEW a AS\r\nselect 1;\r\n');
    expect(hash()).toBe(before);
    write('a.sql', 'CREATE VIEW a AS\nselect 2;\n');
    expect(hash()).not.toBe(before);
    write('a.sql', '');
    write('b.sql', 'CREATE VIEW a AS\nselect 1;\n');
    expect(hash()).not.toBe(before);
  });

  test('has another hash when a file of made has another text, or moves there', () => {
    const view = 'CREATE VIEW a AS SELECT 1;\n';
    write('a.sql', view);
    write('made/b.sql', '');
    const seen = [hash()];
    write('made/b.sql', 'CREATE VIEW b AS SELECT 1;\n');
    seen.push(hash());
    write('made/b.sql', '');
    rmSync(join(directory, 'a.sql'));
    write('made/a.sql', view);
    seen.push(hash());
    expect(new Set(seen).size).toBe(3);
  });

  test('gives a statement the same checksum with other line endings', () => {
    write('a.sql', 'CREATE VIEW a AS\nselect 1;\n');
    const checksum = () => readSqlFolder(directory).statements[0]?.checksum;
    const before = checksum();
    write('a.sql', '-- a comment before it\r\nCREATE VIEW a AS\r\nselect 1 ;');
    expect(checksum()).toBe(before);
    expect(before).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([
    ['function', 'CREATE FUNCTION one(a int)', 'CREATE FUNCTION one(a text)', 'function one'],
    ['function and procedure', 'CREATE FUNCTION one()', 'CREATE PROCEDURE one()', 'procedure one'],
    ['view', 'CREATE VIEW one AS SELECT 1', 'CREATE VIEW one AS SELECT 2', 'view one'],
    [
      'trigger',
      'CREATE TRIGGER t AFTER INSERT ON a',
      'CREATE CONSTRAINT TRIGGER t AFTER UPDATE ON a',
      'trigger t on a',
    ],
  ])('is refused with one %s twice, naming both places', (_, first, second, identity) => {
    write('a.sql', `\n${first};`);
    write('made/b.sql', `\n\n${second};`);
    expect(() => readSqlFolder(directory)).toThrow(
      `${join(directory, 'made/b.sql')}:3: ${identity} is defined in ${join(directory, 'a.sql')}:2 already`,
    );
  });

  test('may have triggers of one name on two tables', () => {
    write('a.sql', 'CREATE TRIGGER t AFTER INSERT ON a;\nCREATE TRIGGER t AFTER INSERT ON b;');
    expect(readSqlFolder(directory).statements).toHaveLength(2);
  });
});
