import type { Outcome } from '@comanda/api/src/doctor/check.ts';
import type { Diagnosis } from '@comanda/api/src/doctor/doctor.ts';
import { linesOf } from '@comanda/db/terminal';
import type { Lines } from '../rows.ts';

/** A diagnosis for a person: a line for each check, and what to do under those that did not come out well. */
export function report(value: unknown): Lines {
  const { outcome, checks, repairs } = value as Diagnosis;
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap((check) => {
    const found = linesOf(`${marks[check.outcome]}  ${check.name.padEnd(width)}  ${check.found}`);
    return check.advice === undefined ? found : [...found, `         ${' '.repeat(width)}  ${check.advice}`];
  });
  return [...repairsOf(repairs), ...lines, '', conclusions[outcome]];
}

const marks: Record<Outcome, string> = {
  ok: 'ok     ',
  warning: 'warning',
  unknown: 'UNKNOWN',
  wrong: 'WRONG  ',
};

const conclusions: Record<Outcome, string> = {
  ok: 'All is well.',
  warning: 'It works; the warnings are worth a look.',
  unknown: 'Something could not be looked at, so it is unknown whether all is well.',
  wrong: 'Something is wrong: see above what to do.',
};

function repairsOf(repairs: Diagnosis['repairs']): string[] {
  if (repairs === undefined) return [];
  const lines = repairs.flatMap(({ name, location, done, error }) => {
    const where = `${name}${location === null ? '' : ` of location ${location}`}`;
    if (error !== undefined) return [`NOT REPAIRED  ${where}: ${error}`];
    return done.map(
      ({ what, before, after }) =>
        `repaired  ${where}: ${what}${before === null ? '' : ` from ${JSON.stringify(before)}`} to ${JSON.stringify(after)}`,
    );
  });
  return [...(lines.length === 0 ? ['nothing to repair'] : lines), ''];
}
