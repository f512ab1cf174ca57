import type { Table } from '../tables/table.ts';
import { named, quoted } from './text.ts';

/** The trigger that keeps the names and descriptions of a table in NFC, for every writer. */
export function composedSql({ name, columns }: Table): string[] {
  const texts = ['name', 'description'].filter((column) => {
    const { edited, length } = columns[column] ?? {};
    return edited === true && length !== undefined;
  });
  if (texts.length === 0) return [];
  const open = texts.map((column) => `NEW.${named(column)} IS NOT NFC NORMALIZED`).join(' OR ');
  return [
    `CREATE TRIGGER compose_texts BEFORE INSERT OR UPDATE OF ${texts.map(named).join(', ')} ON ${name}
  FOR EACH ROW WHEN (${open}) EXECUTE FUNCTION compose_texts(${texts.map(quoted).join(', ')});`,
  ];
}
