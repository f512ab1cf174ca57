import { cpus } from 'node:os';
import { groupBy } from '../faults/support/grouping.ts';
import type { Kill } from './kill.ts';
import type { MemoryRow } from './memory.ts';
import type { Visit } from './neighbours.ts';
import type { Verdict } from './verdict.ts';

/** Everything that a soak found. */
export interface SoakReport {
  date: string;
  minutes: number;
  seed: number;
  node: string;
  processors: number;
  /** Calls a second: what the machine carried before, undefined where it was not measured, and what was asked of it. */
  capacity: number | undefined;
  rate: number;
  /** The result. */
  calls: number;
  verdict: Verdict;
  byKind: KindRow[];
  visits: Visit[];
  memory: MemoryRow[];
}

/** The kills of one kind; seconds. */
export interface KindRow {
  kind: string;
  kills: number;
  real: number;
  served?: { p50: number; max: number };
  delivered?: { p50: number; max: number };
}

/** The process of each measurement. */
export const surroundings = () => ({
  date: new Date().toISOString().slice(0, 16).replace('T', ' '),
  node: process.versions.node,
  processors: cpus().length,
});

/** One row for each kind that came up. */
export function sumUp(kills: readonly Kill[]): KindRow[] {
  return [...new Set(kills.map(({ kind }) => kind))].toSorted().map((kind) => {
    const own = kills.filter((kill) => kill.kind === kind);
    const served = spread(own.flatMap(({ servedMs }) => servedMs ?? []));
    const delivered = spread(own.flatMap(({ deliveredMs }) => deliveredMs ?? []));
    return {
      ...{ kind, kills: own.length, real: own.filter(({ real }) => real).length },
      ...(served && { served }),
      ...(delivered && { delivered }),
    };
  });
}

/** The text that is printed at the end. */
export function textOf(report: SoakReport): string[] {
  const { verdict, byKind, visits, memory, capacity } = report;
  const { orders, published, redelivered, troubles, complaints, kills } = verdict;
  const again = redelivered.afterFailure + redelivered.afterKill + redelivered.unexplained;
  const carried = capacity === undefined ? '' : `, of ${capacity.toFixed(1)} that the machine carried alone`;
  return [
    `soak of ${report.minutes} minutes, ${report.date} UTC, seed ${report.seed}, Node ${report.node}, ${report.processors} processors`,
    `calls answered ${report.calls}: ${(report.calls / report.minutes / 60).toFixed(1)} a second (asked for ${report.rate.toFixed(1)}${carried})`,
    '',
    `orders ${orders}, events ${published.events}, delivered ${published.delivered}, dead ${published.dead} (refused by the consumer for good)`,
    `arrivals ${verdict.arrivals}, redelivered ${again}: ${redelivered.afterFailure} after a failed attempt, ${redelivered.afterKill} after a kill, ${redelivered.unexplained} without a reason`,
    `kills ${kills.total}, of which ${kills.real} met work under way`,
    '',
    ...table(
      ['seconds from the kill', 'kills', 'real', 'served p50', 'max', 'delivered p50', 'max'],
      byKind.map(({ kind, kills: count, real, served, delivered }) => [
        ...[kind, String(count), String(real), shown(served?.p50), shown(served?.max)],
        ...[shown(delivered?.p50), shown(delivered?.max)],
      ]),
    ),
    '',
    ...table(
      ['bad neighbors', 'visits', 'cut short by a kill'],
      [...groupBy(visits, ({ name }) => name)].map(([name, own]) => [
        ...[name, String(own.length)],
        String(own.filter(({ failed }) => failed !== undefined).length),
      ]),
    ),
    '',
    ...table(
      ['what callers met', 'by a kill', 'without a reason'],
      troubles.map(({ what, explained, unexplained }) => [what, String(explained), String(unexplained)]),
    ),
    '',
    ...table(
      ['memory, MiB', 'lives', 'first', 'last', 'most'],
      memory.map(({ role, lives, first, last, most }) => [
        ...[role, String(lives)],
        ...[first, last, most].map((mib) => mib.toFixed(0)),
      ]),
    ),
    '',
    ...complaints.slice(0, 30).map((line) => `COMPLAINT: ${line}`),
    ...(complaints.length > 30 ? [`and ${complaints.length - 30} more`] : []),
    complaints.length === 0 ? 'Nothing lost, nothing duplicated, nothing unexplained.' : 'BROKEN.',
  ];
}

function spread(times: readonly number[]): { p50: number; max: number } | undefined {
  const sorted = times.map((ms) => ms / 1_000).toSorted((a, b) => a - b);
  const [p50, max] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)];
  return p50 === undefined || max === undefined ? undefined : { p50, max };
}

const shown = (seconds: number | undefined) => (seconds === undefined ? '-' : seconds.toFixed(1));

function table(head: readonly string[], rows: readonly string[][]): string[] {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return [line(head), ...rows.map(line)];
}
