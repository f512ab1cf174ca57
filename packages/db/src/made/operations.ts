import type { Operation, Table } from '../tables/table.ts';

/** Every operation, in the order in which triggers are written. */
export const operations: readonly Operation[] = ['insert', 'update', 'delete'];

/** The operations that a trigger of capture looks at. */
export function capturedOperations({ columns, published }: Table): Operation[] {
  if (published === undefined) return [];
  const counts = published.counted !== undefined || Object.values(columns).some(({ catalog }) => catalog);
  return operations.filter((operation) => counts || published.on.includes(operation));
}
