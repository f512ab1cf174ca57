import type { Kind } from '../operations/call.ts';
import { calls, unknownOperations, unmeasured } from '../operations/calls.ts';
import { openMeter } from '../operations/cost.ts';
import { openStage } from '../operations/stage.ts';
import { type Cost, figureRow, type Goal, type Row } from '../result.ts';
import type { Part } from './part.ts';

/** The operations that have a call (bench/operations) in a filled database of 100 locations, one endpoint subscribed to what changes. */
export const operations: Part = {
  name: 'operations',
  summary: 'what each operation costs, events and a webhook included',
  async run({ setup, small, log }) {
    if (unknownOperations.length > 0) throw new Error(`not served: ${unknownOperations.join(', ')}`);
    log(`not measured: ${unmeasured.join(', ')}`);
    const stage = await openStage(setup, small);
    const meter = await openMeter(stage, small);
    const costs: Measured[] = [];
    for (const call of calls) {
      const cost = await meter.costOf(call);
      log(`${cost.operation}: ${sum(cost).toFixed(0)} µs`);
      costs.push(cost);
    }
    await Promise.all([stage.worker.stop(), stage.api.stop(), stage.reference.stop()]);
    return rowsOf(costs);
  },
};

type Measured = Cost & { kind: Kind };

const sum = ({ apiUs, postgresUs, workerUs }: Cost) => apiUs + postgresUs + workerUs;
const node = ({ apiUs }: Cost) => apiUs;
const postgres = ({ postgresUs }: Cost) => postgresUs;

const order = 'POST /v2/orders (3 items)';
const list = 'GET /v2/products (50)';

interface OperationGoal {
  /** The kind whose dearest operation it is compared with, or one operation. */
  kind?: Kind;
  operation?: string;
  work: string;
  /** So many milliseconds, or so many times what `of` costs. */
  most: number;
  of?: string;
  /** As in `Row`. */
  why?: string;
  by(cost: Cost): number;
}

const goals: readonly OperationGoal[] = [
  {
    kind: 'hot write',
    work: 'write of one hot resource ÷ an order of three items',
    most: 1,
    of: order,
    by: sum,
  },
  { kind: 'batch', work: 'batch of one ÷ an order of three items', most: 2, of: order, by: sum },
  { kind: 'list', work: 'list of 50 ÷ that of products, PostgreSQL', most: 1.5, of: list, by: postgres },
  { kind: 'list', work: 'list of 50 ÷ that of products, Node', most: 1.5, of: list, by: node },
  { kind: 'read', work: 'read of one resource ÷ a list of 50 products', most: 1, of: list, by: sum },
  {
    operation: 'GET /v2/products (search)',
    work: 'search ÷ a list of 50 products',
    most: 1,
    of: list,
    by: sum,
  },
  { kind: 'search', work: 'search, among 10,000 products: PostgreSQL', most: 4, by: postgres },
  {
    kind: 'seldom write',
    work: 'write of what seldom changes: Node',
    most: 1.5,
    why: 'operations.md',
    by: node,
  },
];

function rowsOf(costs: readonly Measured[]): Row[] {
  const named = (operation: string) => {
    const found = costs.find((cost) => cost.operation === operation);
    if (found === undefined) throw new Error(`${operation} was not measured`);
    return found;
  };
  const rows = goals.map(({ kind, operation, work, most, of, why, by }) => {
    const [dearest] = costs
      .filter((cost) => cost.kind === kind || cost.operation === operation)
      .sort((a, b) => by(b) - by(a));
    if (dearest === undefined) throw new Error(`${work}: nothing was measured`);
    const unit = of === undefined ? 1_000 : by(named(of));
    const goal: Goal = { most, unit: of === undefined ? ' ms' : '×' };
    const against = of === undefined ? '' : ` against ${unit.toFixed(0)}`;
    const note = `${dearest.operation}: ${by(dearest).toFixed(0)} µs${against}`;
    const row = figureRow('operations', `the dearest ${work}`, goal, by(dearest) / unit, note);
    return { ...row, ...(why !== undefined && { why }) };
  });
  const [first, ...others] = rows;
  if (first === undefined) return [];
  const dearestFirst = [...costs].sort((a, b) => sum(b) - sum(a)).map(({ kind: _, ...cost }) => cost);
  return [{ ...first, costs: dearestFirst }, ...others];
}
