import type { oas31 } from 'zod-openapi';
import type { Documented } from './documented.ts';
import { prose, table } from './markdown.ts';

/** The statuses of errors that every one of these operations can answer: they are described once. */
export function sharedErrors(operations: readonly Documented[]): ReadonlySet<string> {
  const [first, ...others] = operations.map(({ operation }) => Object.keys(operation.responses ?? {}));
  const shared = (first ?? []).filter((status) => others.every((each) => each.includes(status)));
  return new Set(shared.filter((status) => /^[45]/.test(status)));
}

/**
 * A table of the errors of an operation.
 * @param page where the page of all errors is, seen from the table
 */
export function errorTable(
  { operation, components }: Documented,
  page: string,
  isWanted: (status: string) => boolean,
): string {
  const rows = Object.entries(operation.responses ?? {})
    .filter(([status]) => /^[45]/.test(status) && isWanted(status))
    .map(([status, referred]) => {
      const name = (referred as oas31.ReferenceObject).$ref.replace('#/components/responses/', '');
      const { description = '', content } = (components.responses?.[name] ?? {}) as oas31.ResponseObject;
      const code = content?.['application/json']?.example?.error?.code ?? '';
      return [status, `[\`${code}\`](${page}#${code})`, prose(description)];
    });
  return rows.length === 0 ? '' : table(['Status', 'Code', 'When'], rows);
}
