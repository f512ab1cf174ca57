/** A node of a plan as EXPLAIN (ANALYZE, FORMAT JSON) prints it; rows and what was removed are per loop. */
export interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  'Join Filter'?: string;
  Output?: string[];
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

/** What a run of a statement came to. */
export interface Verdict {
  /** Rows of tables that were read, and rows of anything that were read or compared in vain. */
  touched: number;
  /** Rows that were answered, collected, written or locked: the most of these. */
  useful: number;
  /** touched ÷ useful, where useful counts as 1 at least. */
  ratio: number;
  /** The node that touched most. */
  worst: { node: PlanNode; touched: number };
}

/** More rows touched than this for each useful one are read in vain. */
export const mostTouched = 5;

/**
 * Judges one run.
 *
 * Rows of tables count as often as a scan reads them, with what its filter or a recheck removed. What is in memory (a
 * CTE, a function's rows, transition tables) costs no look-up, and is read once or twice by good plans too, so its
 * rows do not count. But what a filter or a join removes counts wherever it stands: a loop over two transition tables
 * that compares each row with each shows in the rows that its join filter removed.
 *
 * Useful is what leaves the plan, and what an aggregate puts into a document (json_agg, array_agg, string_agg): a page
 * of fifty orders as one text answers fifty. What is only counted or summed up is not.
 */
export function judge(root: PlanNode): Verdict {
  const nodes = [...walk(root)];
  const touchedBy = nodes.map((node) => ({ node, touched: touchedRows(node) }));
  const touched = sum(touchedBy.map((each) => each.touched));
  const useful = Math.max(
    root['Node Type'] === 'ModifyTable' ? 0 : rowsOf(root),
    sum(nodes.filter(collects).map(inputRows)),
    sum(nodes.filter(is('ModifyTable')).map(inputRows)),
    sum(nodes.filter(is('LockRows')).map(rowsOf)),
  );
  const worst = touchedBy.reduce((most, each) => (each.touched > most.touched ? each : most));
  return { touched, useful, ratio: touched / Math.max(1, useful), worst };
}

function* walk(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const child of node.Plans ?? []) yield* walk(child);
}

const tableScans = new Set([
  'Seq Scan',
  'Sample Scan',
  'Index Scan',
  'Index Only Scan',
  'Bitmap Heap Scan',
  'Tid Scan',
  'Tid Range Scan',
]);

function touchedRows(node: PlanNode): number {
  const { 'Node Type': type, 'Actual Loops': loops } = node;
  const removed =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0);
  const read = tableScans.has(type) ? rowsOf(node) : 0;
  // Of several bitmaps that are combined, each is read in full, whatever is left of them.
  const combined = type === 'BitmapAnd' || type === 'BitmapOr' ? inputRows(node) : 0;
  return read + removed * loops + combined;
}

const rowsOf = (node: PlanNode): number => node['Actual Rows'] * node['Actual Loops'];

// The first children are the input; init plans and subplans stand beside them and have names.
const inputRows = (node: PlanNode): number =>
  sum((node.Plans ?? []).filter((child) => !('Subplan Name' in child)).map(rowsOf));

const is = (type: string) => (node: PlanNode) => node['Node Type'] === type;

const collects = (node: PlanNode): boolean =>
  node['Node Type'] === 'Aggregate' &&
  (node.Output ?? []).some((expression) => /\b(json|jsonb|array|string|xml)(_object)?_?agg\w*\(/.test(expression));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
