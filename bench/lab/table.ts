import { type Cost, mostMs } from './explain.ts';
import type { Finding, State, Way } from './plans.ts';

const columns: readonly { way: Way; state: State }[] = [
  { way: 'kept', state: 'planned small' },
  { way: 'B', state: 'planned small' },
  { way: 'C', state: 'planned small' },
  { way: 'kept', state: 'not analysed' },
  ...(['kept', 'A', 'B', 'C'] as const).flatMap((way) =>
    (['old location', 'new location'] as const).map((state) => ({ way, state })),
  ),
];

/** A row for each server, shape and statement: milliseconds of CPU, and the rows read in vain where there are any. */
export function plansTable(findings: readonly Finding[]): string {
  const rows = new Map<string, Map<string, Cost>>();
  for (const { server, shape, statement, way, state, cost } of findings) {
    const key = [server, shape, statement].join(' | ');
    rows.set(key, (rows.get(key) ?? new Map<string, Cost>()).set(`${way}, ${state}`, cost));
  }
  const names = columns.map(({ way, state }) => `${way}, ${state}`);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['server', 'shape', 'statement', ...names]),
    line(['---', '---', '---', ...names.map(() => '---')]),
    ...[...rows].map(([key, costs]) => line([key, ...names.map((name) => cell(costs.get(name)))])),
  ].join('\n');
}

function cell(cost: Cost | undefined): string {
  if (cost === undefined) return '';
  if (cost.cpuMs >= mostMs) return `> ${mostMs / 1000} s`;
  const ms = cost.cpuMs >= 100 ? cost.cpuMs.toFixed(0) : cost.cpuMs.toPrecision(2);
  return cost.vain === 0 ? ms : `${ms} (${cost.vain.toLocaleString('en')})`;
}
