/** A manual edit, and its refusal. */
export interface HandEdit {
  edit: string;
  sql: string;
  refusal: RegExp;
  /** A guard; or a constraint or a list of names, which no deed passes. */
  by: 'guard' | 'constraint' | 'names';
}

/** Edits that have the same refusal: the SQL of each, by what the edit does. */
const refused =
  (by: HandEdit['by']) =>
  (refusal: RegExp, edits: Readonly<Record<string, string>>): HandEdit[] =>
    Object.entries(edits).map(([edit, sql]) => ({ edit, sql, refusal, by }));

export const byGuard = refused('guard');
export const byConstraint = refused('constraint');
export const byNames = refused('names');
