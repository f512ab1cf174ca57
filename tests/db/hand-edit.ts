/** What a person edits, by the row of the study of admins that it stands in, and what it is refused with. */
export interface HandEdit {
  row: number;
  edit: string;
  sql: string;
  refusal: RegExp;
  /** A guard; or a constraint or a list of names, which no deed passes. */
  by: 'guard' | 'constraint' | 'names';
}

export function guard(row: number, edit: string, sql: string, refusal: RegExp): HandEdit {
  return { row, edit, sql, refusal, by: 'guard' };
}

export function check(row: number, edit: string, sql: string, refusal: RegExp): HandEdit {
  return { row, edit, sql, refusal, by: 'constraint' };
}

export function names(row: number, edit: string, sql: string, refusal: RegExp): HandEdit {
  return { row, edit, sql, refusal, by: 'names' };
}
