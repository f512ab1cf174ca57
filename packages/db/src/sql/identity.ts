import { splitStatements, type Token } from './lexer.ts';

/** What a folder of SQL may hold; none of it holds data. */
export type ObjectKind = 'function' | 'procedure' | 'view' | 'trigger' | 'grant';

/** What an object is called, as the database has it. */
export interface ObjectName {
  kind: ObjectKind;
  /** For a grant all that stands behind GRANT, in one form. */
  name: string;
  /** Of a trigger. */
  table?: string;
}

/** As it is told and recorded: `function place_order`, `trigger touch on products`, `grant select on orders to reader`. */
export function identityOf({ kind, name, table }: ObjectName): string {
  if (kind === 'grant') return `grant ${name}`;
  return `${kind} ${shown(name)}${table === undefined ? '' : ` on ${shown(table)}`}`;
}

/** The name that `identityOf` has written. */
export function nameOf(identity: string): ObjectName {
  const tokens = splitStatements('sql_objects', identity)[0]?.tokens ?? [];
  const kind = kinds.find((each) => each === tokens[0]?.value);
  const name = tokens[1]?.value;
  if (kind === undefined || name === undefined) throw new Error(`sql_objects has an unknown ${identity}`);
  if (kind === 'grant') return { kind, name: identity.slice('grant '.length) };
  return { kind, name, ...(tokens[3] !== undefined && { table: tokens[3].value }) };
}

/** The SQL that takes it away, if it is there; a grant is taken back. */
export function undoing({ kind, name, table }: ObjectName): string {
  if (kind !== 'grant')
    return `drop ${kind} if exists ${quoted(name)}${table === undefined ? '' : ` on ${quoted(table)}`}`;
  const tokens = splitStatements('sql_objects', name)[0]?.tokens ?? [];
  const to = tokens.findIndex((token) => token.kind === 'word' && token.value === 'to');
  const more = tokens.findIndex(
    ({ kind: is, value }, index) => index > to && is === 'word' && (value === 'with' || value === 'granted'),
  );
  const [what, whom] = [tokens.slice(0, to), tokens.slice(to + 1, more < 0 ? undefined : more)];
  return `revoke ${what.map(spelled).join(' ')} from ${whom.map(spelled).join(' ')}`;
}

/** The SQL of a piece as it is written in an identity. */
export const spelled = ({ kind, value }: Pick<Token, 'kind' | 'value'>): string =>
  kind === 'name' ? shown(value) : value;

const kinds: readonly ObjectKind[] = ['function', 'procedure', 'view', 'trigger', 'grant'];

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const shown = (name: string): string => (/^[a-z_][a-z0-9_$]*$/.test(name) ? name : quoted(name));
