import { type Indexes, unentered } from './entered.ts';

/** A node of a plan as EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) prints it; rows and what was removed are per loop. */
export interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Function Call'?: string;
  'Subplan Name'?: string;
  'Parent Relationship'?: string;
  Filter?: string;
  'Join Filter'?: string;
  Output?: string[];
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: PlanNode[];
}

/** The rows that a run of a statement read and returned. */
export interface Verdict {
  /** Read in tables, or read and compared without a match anywhere. */
  touched: number;
  /** The rows that the reads were for. */
  useful: number;
  /** The node that touched most. */
  worst: { node: PlanNode; touched: number };
  /** A node that skips more of an index than it says, and the columns that should have led. */
  unseen?: { node: PlanNode; columns: string[] };
}

/** How to judge. */
export interface Law {
  /** The indexes of the database. */
  indexes: Indexes;
  /** The rows of tables so small that a location counts as one row, so that any index which begins with it looks equally good. */
  small?: ReadonlyMap<string, number>;
  /** Whether rows that are only counted or summed up may be read for that; they are left out then. */
  mayCount?: boolean;
}

/**
 * Judges one run.
 *
 * Rows of tables count as often as a scan reads them, and so do those that its filter or a recheck removed. Rows in memory
 * (a CTE, a function's rows, transition tables) cost no look-up, and good plans read them more than once, too: they
 * do not count. But a row that a filter or a join removes counts in any place: a loop within a loop over two transition
 * tables, which compares each row with each, shows in the rows that its join filter removed.
 *
 * Useful is the most of: rows answered, with those of each sub-select and those that an aggregate collects into one
 * answer (a page of fifty orders as one text answers fifty); rows written; rows locked; rows asked for by a list of keys
 * or by what a trigger hears of, each of which may need a look although none is found.
 */
export function judge(root: PlanNode, { indexes, small, mayCount = false }: Law): Verdict {
  const nodes = [...walk(root)];
  const touchedBy = nodes.map((node) => ({ node, touched: onePage(node, small) ? 0 : touchedRows(node) }));
  const total = (which: (node: PlanNode) => boolean, rows: (node: PlanNode) => number) =>
    sum(nodes.filter(which).map(rows));
  const [unseen] = nodes.flatMap((node) => {
    const columns = unentered(node['Index Cond'] ?? '', indexes.get(node['Index Name'] ?? '') ?? []);
    const read = node['Actual Loops'] > 0 && !small?.has(node['Relation Name'] ?? '');
    return columns.length > 0 && read ? [{ node, columns }] : [];
  });
  const counted = mayCount ? total((node) => is('Aggregate')(node) && !collects(node), inputRows) : 0;
  return {
    touched: Math.max(0, sum(touchedBy.map(({ touched }) => touched)) - counted),
    useful: Math.max(
      (is('ModifyTable')(root) ? 0 : rowsOf(root)) +
        total(collects, inputRows) +
        total(answersWithin, rowsOf),
      total(is('ModifyTable'), inputRows),
      total(is('LockRows'), rowsOf),
      // Once, however often a loop reads them.
      ...nodes.filter(asks).map((node) => node['Actual Rows']),
    ),
    worst: touchedBy.reduce((most, each) => (each.touched > most.touched ? each : most)),
    ...(unseen && { unseen }),
  };
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

/** To read all of a table of one page costs what a look-up does, and a planner that knows that does it. */
const onePage = (node: PlanNode, small?: ReadonlyMap<string, number>): boolean =>
  node['Node Type'] === 'Seq Scan' &&
  node['Actual Loops'] === 1 &&
  (small?.get(node['Relation Name'] ?? '') ?? Infinity) <= 20;

function touchedRows(node: PlanNode): number {
  const type = node['Node Type'];
  // Folded at some hundred (docs/design/database.md, "Counts and lists"), for any number of rows of the location.
  if (node['Relation Name'] === 'tally_notes') return 0;
  const removed =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0);
  const read = tableScans.has(type) ? rowsOf(node) : 0;
  // Of several bitmaps that are combined each is read in full, however few rows are left.
  const combined = type === 'BitmapAnd' || type === 'BitmapOr' ? inputRows(node) : 0;
  return read + combined + removed * node['Actual Loops'];
}

const rowsOf = (node: PlanNode): number => node['Actual Rows'] * node['Actual Loops'];

/** Its input rows, without those of init plans and subplans, which have names. */
const inputRows = (node: PlanNode): number =>
  sum((node.Plans ?? []).filter((child) => child['Subplan Name'] === undefined).map(rowsOf));

/** Whether it is the value of an expression. */
const answersWithin = (node: PlanNode): boolean =>
  ['InitPlan', 'SubPlan'].includes(node['Parent Relationship'] ?? '') &&
  !/^CTE /.test(node['Subplan Name'] ?? '');

const is = (type: string) => (node: PlanNode) => node['Node Type'] === type;

const collecting = /\b(json_agg|jsonb_agg|json_object_agg|jsonb_object_agg|array_agg|string_agg)\(/;
const collects = (node: PlanNode): boolean =>
  is('Aggregate')(node) && (node.Output ?? []).some((expression) => collecting.test(expression));

const listed = /^(unnest|json_to_recordset|jsonb_to_recordset|json_array_elements|jsonb_array_elements)\(/;
const asks = (node: PlanNode): boolean =>
  is('Named Tuplestore Scan')(node) ||
  is('Values Scan')(node) ||
  (is('Function Scan')(node) && listed.test(node['Function Call'] ?? ''));

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
