import type { Table } from '../tables/table.ts';
import { listed, named } from './text.ts';

/** Triggers that enforce the length of a table's texts, where no CHECK does. */
export function lengthSql({ name, columns, lengthsHeldBy }: Table): string[] {
  if (lengthsHeldBy === undefined) return [];
  const texts = Object.entries(columns).flatMap(([column, { length }]) =>
    length === undefined ? [] : [{ column, length }],
  );
  const faults = texts.map(({ column, length: [least, most] }) => {
    const text = `r.${named(column)}`;
    if (column === 'external_id')
      return `WHEN NOT is_external_id(${text}) THEN 'external_id must have ${least} to ${most} characters, and no control characters'`;
    return least > 0
      ? `WHEN char_length(${text}) NOT BETWEEN ${least} AND ${most} THEN '${column} must have ${least} to ${most} characters'`
      : `WHEN char_length(${text}) > ${most} THEN '${column} must have at most ${most} characters'`;
  });
  const fault = `CREATE FUNCTION ${name}_length_fault(r ${name}) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    ${faults.join('\n    ')} END
$$;`;
  const { function: holds, onUpdateOf } = lengthsHeldBy;
  if (onUpdateOf === undefined) return [fault];
  const held = [...texts.map(({ column }) => column), ...onUpdateOf];
  return [
    fault,
    `CREATE FUNCTION guard_texts_${name}() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, internal, pg_temp AS $$
BEGIN
  IF ROW(${listed('OLD', held)})
    IS DISTINCT FROM ROW(${listed('NEW', held)}) THEN
    PERFORM ${holds}(NEW);
  END IF;
  RETURN NEW;
END $$;`,
    `CREATE TRIGGER guard_texts BEFORE UPDATE OF ${held.map(named).join(', ')} ON ${name}
  FOR EACH ROW EXECUTE FUNCTION guard_texts_${name}();`,
  ];
}
