/** A manual edit, named by its row in the study of admins, and its refusal. */
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
