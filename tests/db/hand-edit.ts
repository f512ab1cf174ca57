import { expect } from 'vitest';

/** A manual edit, and its refusal. */
export interface HandEdit {
  edit: string;
  sql: string;
  refusal: RegExp;
  /** A guard; or a constraint or a list of names, which no deed passes. */
  by: 'guard' | 'constraint' | 'names';
}

/** The refusal, as PostgreSQL gives it. */
export const refusalOf = ({ by, refusal }: HandEdit) => ({
  code: by === 'constraint' ? '23514' : 'CM008',
  message: expect.stringMatching(refusal),
});

/** The values of a statement: the location, where it has it. */
export const valuesFor = (sql: string, locationId: string): unknown[] =>
  sql.includes('$1') ? [locationId] : [];

/** Edits that have the same refusal: the SQL of each, by what the edit does. */
const refused =
  (by: HandEdit['by']) =>
  (refusal: RegExp, edits: Readonly<Record<string, string>>): HandEdit[] =>
    Object.entries(edits).map(([edit, sql]) => ({ edit, sql, refusal, by }));

export const byGuard = refused('guard');
export const byConstraint = refused('constraint');
export const byNames = refused('names');
