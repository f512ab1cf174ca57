import type { Table } from './tables.ts';
import type { Place } from './values.ts';

/** A statement and the tables that it names. */
export interface Statement {
  text: string;
  tables: string[];
  /** The statement that makes the function that this one calls. */
  before?: string;
  /** Gives the lines of CSV that a COPY reads. */
  lines?: string;
  /** Gives how many rows it changed, where its answer does not say so. */
  counted?: string;
}

/** A COPY of rows, each given as the text of a record. */
export function copied({ name }: Table, columns: readonly string[], records: readonly string[]): Statement {
  // A record doubles quotes as CSV does, and backslashes, which CSV does not.
  const line = `replace(substr(r, 2, length(r) - 2), '\\\\', '\\') as line`;
  return {
    text: `copy ${name} (${columns.join(', ')}) from stdin (format csv)`,
    tables: [name],
    lines: `select ${line} from (${records.map((record) => `select ${record}`).join(' union all ')}) as records (r)`,
  };
}

const tag = 'fuzz.edited';

/** The contents: statements, and parts of those that go row by row. */
export interface Parts {
  edit(): string;
  condition(): string;
  assignments(): string;
}

/** Statements inside a DO block or, where the session may make one, a function: one, in a loop, row by row, or with what refuses it caught. */
export function inside(place: Place, parts: Parts): Statement {
  const { chance, table, functions } = place;
  const body = block(...bodyOf(place, parts));
  const counted = `select current_setting('${tag}')::int as rows`;
  if (!functions || chance.percent(50))
    return { text: `do $do$ ${body} $do$`, tables: [table.name], counted };
  const definer = chance.percent(30) ? ' security definer' : '';
  return {
    before: `create or replace function pg_temp.edit() returns void language plpgsql${definer} as $do$ ${body} $do$`,
    text: 'select pg_temp.edit()',
    tables: [table.name],
    counted,
  };
}

const block = (statements: string, declared = ''): string => `#variable_conflict use_column
  declare edited int := 0; step int; ${declared}
  begin ${statements} perform set_config('${tag}', edited::text, true); end`;

/** The statements of a block, and what they declare. */
function bodyOf({ chance, table }: Place, { edit, condition, assignments }: Parts): [string, string?] {
  const count = 'get diagnostics step = row_count; edited := edited + step;';
  const one = () => {
    const text = edit();
    return `${chance.percent(25) ? `execute $q$${text}$q$` : text}; ${count}`;
  };
  const found = `select * from ${table.name} where ${condition()}`;
  const change = chance.percent(75)
    ? `update ${table.name} set ${assignments()}`
    : `delete from ${table.name}`;
  return chance.pick<() => [string, string?]>([
    () => [one()],
    () => [`${one()} ${one()}`],
    () => [`for turn in 1..${chance.between(2, 4)} loop ${one()} end loop;`],
    () => [
      `for found in select ctid as place from ${table.name} where ${condition()} loop ${change} where ctid = found.place; ${count} end loop;`,
      'found record;',
    ],
    () => [
      `for found in met loop ${change} where current of met; ${count} end loop;`,
      `met cursor for ${found} for update;`,
    ],
    () => [
      `for turn in 1..2 loop begin ${one()} exception when others then
        if sqlstate ~ '^(XX|P0|0A|2F)' then raise; end if; end; end loop;`,
    ],
  ])();
}
