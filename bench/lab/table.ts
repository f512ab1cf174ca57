import { type Cost, mostMs } from './explain.ts';
import type { Finding, State, Way } from './plans.ts';

const columns: readonly { way: Way; state: State }[] = [
  { way: 'kept', state: 'planned small' },
  { way: 'B', state: 'planned small' },
  { way: 'kept', state: 'not analysed' },
  ...(['kept', 'A', 'B', 'C'] as const).flatMap((way) =>
    (['old location', 'new location'] as const).map((state) => ({ way, state })),
  ),
];

/**
 * A row for each statement: milliseconds of CPU in the worst of all servers and shapes, and in brackets the rows that
 * were read without use. Below it the plans of slow ones, by more than two milliseconds and thrice the best of the same
 * shape.
 */
export function plansTable(findings: readonly Finding[]): string {
  const statements = [...new Set(findings.map(({ statement }) => statement))];
  const names = columns.map(({ way, state }) => `${way}, ${state}`);
  const of = (statement: string, column: (typeof columns)[number]) =>
    findings.filter(
      (one) => one.statement === statement && one.way === column.way && one.state === column.state,
    );
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['statement', ...names]),
    line(['---', ...names.map(() => '---')]),
    ...statements.map((statement) =>
      line([statement, ...columns.map((column) => cell(worst(of(statement, column))))]),
    ),
    '',
    ...slow(findings),
  ].join('\n');
}

const worst = (found: readonly Finding[]) =>
  found
    .map(({ cost }) => cost)
    .reduce<Cost | undefined>(
      (most, cost) => (most === undefined || cost.cpuMs > most.cpuMs ? cost : most),
      undefined,
    );

function cell(cost: Cost | undefined): string {
  if (cost === undefined) return '';
  if (cost.cpuMs >= mostMs) return `> ${mostMs}`;
  const ms = cost.cpuMs >= 10 ? cost.cpuMs.toFixed(0) : cost.cpuMs.toPrecision(2);
  return cost.vain === 0 ? ms : `${ms} (${cost.vain.toLocaleString('en')})`;
}

function slow(findings: readonly Finding[]): string[] {
  const least = (one: Finding) =>
    Math.min(
      ...findings
        .filter(
          ({ server, shape, statement, state }) =>
            server === one.server &&
            shape === one.shape &&
            statement === one.statement &&
            (state === 'new location') === (one.state === 'new location'),
        )
        .map(({ cost }) => cost.cpuMs),
    );
  return findings
    .filter((one) => one.cost.cpuMs > 2 + 3 * least(one))
    .map(
      ({ server, shape, way, state, statement, cost }) =>
        `- ${server}, ${shape}, ${way}, ${state}: ${statement}, ${cell(cost)} ms: ${cost.plan}`,
    );
}
