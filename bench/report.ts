import { cpus, totalmem } from 'node:os';
import type { Measure } from './load.ts';
import type { Cost, Row } from './result.ts';

/** A whole run, as it is kept in bench/results. */
export interface Report {
  date: string;
  machine: string;
  node: string;
  postgres: string;
  effort: string;
  rows: Row[];
}

/** Names the machine without naming it: processor, cores, memory. */
export function machine(): string {
  const [first] = cpus();
  return `${first?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 1024 ** 3)} GiB`;
}

/** The run as Markdown: the goals, then what lies behind the comparisons. `picture`: the file of its chart. */
export function markdown(report: Report, picture = 'chart.svg'): string {
  const { date, machine: where, node, postgres, effort, rows } = report;
  const compared = rows.filter(({ sides }) => sides !== undefined);
  const goals = [
    ['Work', 'Goal', 'Seen', 'Met', 'Note'],
    ...rows.map(({ work, goal, figure, met, note = '', why }) => [
      work,
      goal,
      figure,
      met ? 'yes' : why === undefined ? '**no**' : `**no** ([why](../../../docs/bench/${why}))`,
      note,
    ]),
  ];
  const details = [
    ['Work', 'Side', 'Requests/s', 'p50 ms', 'p99 ms', 'Node µs/request', 'PostgreSQL µs/request'],
    ...compared.flatMap(({ work, sides }) =>
      Object.entries(sides ?? {}).map(([side, measure]) => [work, side, ...cells(measure)]),
    ),
  ];
  return [
    `# Bench of ${date}`,
    `${where}; Node ${node}; PostgreSQL ${postgres}. ${effort}`,
    'Ratios are Comanda ÷ reference within this run; absolute figures hold for this machine on this day only.',
    table(goals),
    `![Every figure against its goal](./${picture})`,
    ...(compared.length > 0 ? [table(details)] : []),
    ...rows.flatMap(({ costs }) => (costs === undefined ? [] : [table(costTable(costs))])),
  ].join('\n\n');
}

function costTable(costs: readonly Cost[]): string[][] {
  const us = (...numbers: number[]) => numbers.map((n) => n.toFixed(0));
  return [
    ['Operation', 'Calls/s', 'API µs/call', 'PostgreSQL', 'Worker', 'Sum', 'By hand: Node', 'PostgreSQL'],
    ...costs.map(({ operation, perSecond, apiUs, postgresUs, workerUs, byHandUs: hand }) => [
      operation,
      ...us(perSecond, apiUs, postgresUs, workerUs, apiUs + postgresUs + workerUs),
      ...(hand ? us(hand.node, hand.postgres) : ['', '']),
    ]),
  ];
}

function cells({ perSecond, p50Ms, p99Ms, nodeUs, postgresUs }: Measure): string[] {
  return [perSecond.toFixed(0), p50Ms.toFixed(1), p99Ms.toFixed(1), nodeUs.toFixed(0), postgresUs.toFixed(0)];
}

function table([head = [], ...body]: string[][]): string {
  const line = (row: string[]) => `| ${row.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}
