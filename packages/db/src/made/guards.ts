import { guardsOf } from '../tables/guards.ts';
import type { Guard, Table } from '../tables/table.ts';
import { hasBlankEndSql, isBlankSql } from '../texts.ts';
import { listed, named, quoted } from './text.ts';

// Guards are ordinary triggers: a dump has them after its data, and a role that may disable triggers may pass.

/** The triggers that refuse what the guards of a table name. */
export function guardSql(table: Table): string[] {
  const guards = guardsOf(table);
  if (guards.length === 0) return blankGuard(table);
  const closed = guards.some((guard) => 'serviceOnly' in guard && guard.serviceOnly === 'all');
  return [
    ...guards.map((guard) => trigger(table.name, guard)),
    ...blankGuard(table),
    ...(closed
      ? []
      : [refusal('guard_truncate', 'TRUNCATE', table.name, 'STATEMENT', '', refuse('truncate', truncates))]),
  ];
}

/** A text that a person edits and that must not be empty has a visible character. */
function blankGuard({ name, columns }: Table): string[] {
  const texts = Object.entries(columns).flatMap(([column, { edited, length: [least] = [0] }]) =>
    edited && least > 0 ? [column] : [],
  );
  if (texts.length === 0) return [];
  const blank = texts.map((column) => isBlankSql(`NEW.${named(column)}`)).join(' OR ');
  const statements = `INSERT OR UPDATE OF ${texts.map(named).join(', ')}`;
  return [
    refusal('guard_blank', statements, name, 'ROW', blank, `refuse_blank(${texts.map(quoted).join(', ')})`),
    ...blankEndsGuard(name, columns),
  ];
}

/** The identifiers of a new row have no blanks at their ends. */
function blankEndsGuard(name: string, columns: Table['columns']): string[] {
  const identifiers = Object.keys(columns).filter((column) => columns[column]?.identifier === true);
  if (identifiers.length === 0) return [];
  const blank = identifiers.map((column) => hasBlankEndSql(`NEW.${named(column)}`)).join(' OR ');
  const call = `refuse_blank_ends(${identifiers.map(quoted).join(', ')})`;
  return [refusal('guard_blank_ends', 'INSERT', name, 'ROW', blank, call)];
}

/** The tables that a trigger of the service's alone guards, with the sentence that says what to do instead. */
export const serviceOnly = (table: Table): string | undefined =>
  guardsOf(table).find((guard) => 'serviceOnly' in guard)?.sentence;

const truncates = 'TRUNCATE fires no row triggers, so it would bypass capture, counts and guards: use DELETE';

function trigger(table: string, guard: Guard): string {
  if ('kept' in guard)
    return refusal('guard_kept', 'DELETE', table, 'ROW', guard.when ?? '', refuse('kept', guard.kept));
  if ('lines' in guard)
    return refusal(
      'guard_lines',
      'INSERT OR UPDATE OR DELETE',
      table,
      'ROW',
      '',
      `guard_line(${quoted(guard.lines)})`,
    );
  if ('serviceOnly' in guard) {
    const statements = guard.serviceOnly === 'insert' ? 'INSERT' : 'INSERT OR UPDATE OR DELETE OR TRUNCATE';
    return refusal(
      'guard_service',
      statements,
      table,
      'STATEMENT',
      '',
      `refuse_by_hand(${quoted(guard.sentence)})`,
    );
  }
  const { never, when, whateverDeed, sentence } = guard;
  const differs = `ROW(${listed('OLD', never)}) IS DISTINCT FROM ROW(${listed('NEW', never)})`;
  return refusal(
    ...([`guard_${never[0]}`, `UPDATE OF ${never.join(', ')}`, table, 'ROW'] as const),
    ...([when === undefined ? differs : `${differs}\n    AND (${when})`] as const),
    refuse(whateverDeed ? 'fixed' : 'never', sentence),
  );
}

const refuse = (rule: string, sentence: string): string => `refuse(${quoted(rule)}, ${quoted(sentence)})`;

const refusal = (
  name: string,
  statements: string,
  table: string,
  each: 'ROW' | 'STATEMENT',
  when: string,
  call: string,
): string => `CREATE TRIGGER ${name} BEFORE ${statements} ON ${table}
  FOR EACH ${each}${when === '' ? '' : `\n  WHEN (${when})`}
  EXECUTE FUNCTION ${call};`;
