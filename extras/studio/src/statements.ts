/** The statements of the grids of Prisma's page, and nothing else: there is no other SQL in Studio. */
export type PageStatement = Shown | Updated | Inserted | Deleted | { kind: 'timezone' };

/** A page of a grid. `head` and `tail` enclose the two places where the table is read. */
export interface Shown {
  kind: 'select';
  table: string;
  parts: [head: string, between: string, tail: string];
}

/** An edit of rows. `set` is the text after SET, `where` chooses the rows. */
export interface Updated {
  kind: 'update';
  table: string;
  columns: string[];
  set: string;
  where: string;
  returning: string;
}

/** New rows, each with a value for each column: a parameter, a cast of one, `null` or `default`. */
export interface Inserted {
  kind: 'insert';
  table: string;
  columns: string[];
  rows: string[][];
  returning: string;
}

/** Rows that go. */
export interface Deleted {
  kind: 'delete';
  table: string;
  where: string;
  returning: string;
}

/** A name in quotes that is not called as a function. */
const name = '"\\w+"(?! ?\\()';
const names = `${name}(?:, ${name})*`;
const type = '(?:"\\w+"\\."\\w+"(?:\\[\\])?|text|numeric)';
const value = `(?:\\$\\d+|cast\\(\\$\\d+ as ${type}\\)|null|default)`;
const word = '(?:and|or|not|is|null|true|false|like|ilike|in|cast)\\b';
// No word of it begins a query or calls a function, so it applies to the given rows alone.
const condition = `(?:[ (),=<>!]|\\$\\d+|as ${type}|${word}|${name})+`;
const column = `(?:${name}|cast\\(${name} as numeric\\))`;
const moment = 'cast\\(floor\\(extract\\(epoch from now\\(\\)\\) \\* \\$\\d+\\) as text\\) as "__ps_\\w+__"';
const returned = `(?: returning (?<returning>${names}(?:, ${moment})?))?`;
const table = '"public"\\."(?<table>\\w+)"';

const patience =
  `"__ps_search_guardrails__" as \\(select set_config\\('statement_timeout', '5000ms', true\\) as "__ps_statement_timeout__", ` +
  `set_config\\('lock_timeout', '100ms', true\\) as "__ps_lock_timeout__"\\), `;
const select = new RegExp(
  `^(?<head>with (?:${patience})?"__ps_agg__" as \\(select cast\\(coalesce\\(count\\(\\*\\), 0\\) as text\\) as "__ps_count__" from )${table}` +
    `(?<between>(?: inner join "__ps_search_guardrails__" as "__ps_search_guardrails__" on true)? where (?<counted>${condition})\\) ` +
    `select "__ps_agg__"\\."__ps_count__", ${names} from )"public"\\."\\k<table>"` +
    `(?<tail>(?: inner join "__ps_search_guardrails__" on true)? inner join "__ps_agg__" on true where (?<listed>${condition}?)` +
    `(?: order by ${column} (?:asc|desc)(?:, ${column} (?:asc|desc))*)? limit \\$\\d+ offset \\d+)$`,
);
const update = new RegExp(
  `^update ${table} set (?<set>${name} = ${value}(?:, ${name} = ${value})*) where (?<where>${condition}?)${returned}$`,
);
const row = `\\(${value}(?:, ${value})*\\)`;
const insert = new RegExp(
  `^insert into ${table} \\((?<columns>${names})\\) values (?<rows>${row}(?:, ${row})*)${returned}$`,
);
const remove = new RegExp(`^delete from ${table} where (?<where>${condition}?)${returned}$`);

/** The statement, as the page compiles it; null when its page compiles no such statement. */
export function readStatement(sql: string): PageStatement | null {
  if (sql === `select current_setting('timezone') as "timezone"`) return { kind: 'timezone' };
  return readSelect(sql) ?? readUpdate(sql) ?? readInsert(sql) ?? readDelete(sql);
}

function readSelect(sql: string): Shown | null {
  const { table, head, between, tail, counted, listed } = select.exec(sql)?.groups ?? {};
  if (!table || !head || !between || !tail || !isClosed(counted) || !isClosed(listed)) return null;
  return { kind: 'select', table, parts: [head, between, tail] };
}

function readUpdate(sql: string): Updated | null {
  const { table, set, where, returning = '' } = update.exec(sql)?.groups ?? {};
  if (!table || !set || !where || !isClosed(where)) return null;
  const columns = [...set.matchAll(/"(\w+)" = /g)].map(([, each = '']) => each);
  return { kind: 'update', table, columns, set, where, returning };
}

function readInsert(sql: string): Inserted | null {
  const { table, columns = '', rows = '', returning = '' } = insert.exec(sql)?.groups ?? {};
  if (!table) return null;
  return {
    kind: 'insert',
    table,
    returning,
    columns: [...columns.matchAll(/\w+/g)].map(([each]) => each),
    rows: [...rows.matchAll(new RegExp(row, 'g'))].map(([each]) =>
      [...each.slice(1, -1).matchAll(new RegExp(value, 'g'))].map(([one]) => one),
    ),
  };
}

function readDelete(sql: string): Deleted | null {
  const { table, where, returning = '' } = remove.exec(sql)?.groups ?? {};
  return table && where && isClosed(where) ? { kind: 'delete', table, where, returning } : null;
}

/** Whether it closes no parenthesis that it did not open, and leaves none open. */
function isClosed(text = ''): boolean {
  let open = 0;
  for (const character of text) {
    if (character === '(') open++;
    if (character === ')' && --open < 0) return false;
  }
  return open === 0;
}
