import { type Row, titleOf } from './rows.ts';
import type { Change, Outcome } from './sending.ts';

/** A line for each row that would change something. */
export function diffLines(changes: Outcome['changes']): string[] {
  const changing = changes.filter(({ change }) => change.action !== 'unchanged');
  return changing.map(({ row, change }) => line(row, change));
}

/** How many would be created, updated and left as they are. */
export function countsOf({ changes, refused }: Pick<Outcome, 'changes' | 'refused'>): string {
  const count = (action: string) => changes.filter(({ change }) => change.action === action).length;
  const actions = count('planned') > 0 ? ['planned'] : ['created', 'updated', 'unchanged'];
  const counts = actions.map((action) => `${count(action)} ${action}`);
  return [...counts, `${refused.length} refused`].join(', ');
}

function line(row: Row, { action, changes }: Change): string {
  // An empty field of a new thing says nothing.
  const telling = changes.filter(({ before, after }) => before !== undefined || after !== '');
  const fields = telling.map(({ field, before, after }) =>
    before === undefined ? `${field} ${shown(after)}` : `${field} ${shown(before)} -> ${shown(after)}`,
  );
  return `${action}  ${titleOf(row.item)}  ${fields.join(', ')}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
