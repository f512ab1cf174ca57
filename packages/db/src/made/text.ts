// How the SQL of prisma/sql/made is put together: small pieces for statements that a person reads.

/** A literal. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** `window` is a keyword of SQL; all other names need no quotes. */
export const named = (name: string): string => (name === 'window' ? `"${name}"` : name);

/** `o.name, o.price` */
export const listed = (alias: string, columns: readonly string[]): string =>
  columns.map((column) => `${alias}.${named(column)}`).join(', ');

/** `'name', o.name, 'price', o.price`, as jsonb_build_object takes it. */
export const members = (alias: string, columns: readonly string[]): string =>
  columns.map((column) => `${quoted(column)}, ${alias}.${named(column)}`).join(', ');

/** `n.location_id = o.location_id AND n.id = o.id` */
export const same = (left: string, right: string, columns: readonly string[]): string =>
  columns.map((column) => `${left}.${named(column)} = ${right}.${named(column)}`).join(' AND ');

/** Every line of a text behind so many spaces; empty lines stay empty. */
export const indented = (spaces: number, text: string): string =>
  text.replace(/^(?=.)/gm, ' '.repeat(spaces));

/** A trigger function that runs as the owner of the tables. */
export const triggerFunction = (name: string, declared: string, body: string): string =>
  `CREATE FUNCTION ${name}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
${declared === '' ? '' : `DECLARE\n${indented(2, declared)}\n`}BEGIN
${indented(2, body)}
  RETURN NULL;
END $$;`;

/** The trigger of an operation, once a statement, with the rows before and after it. */
export const statementTrigger = (
  name: string,
  operation: 'insert' | 'update' | 'delete',
  table: string,
  call: string,
): string =>
  `CREATE TRIGGER ${name} AFTER ${operation.toUpperCase()} ON ${table}
  REFERENCING ${transitions[operation]}
  FOR EACH STATEMENT EXECUTE FUNCTION ${call};`;

const transitions = {
  insert: 'NEW TABLE AS new_rows',
  update: 'OLD TABLE AS old_rows NEW TABLE AS new_rows',
  delete: 'OLD TABLE AS old_rows',
};
