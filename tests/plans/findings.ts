import type { RunStatement } from './auto-explain.ts';
import type { Indexes } from './entered.ts';
import { type Exemption, exemptions } from './exempt.ts';
import { judge, type PlanNode, type Verdict } from './judge.ts';

/** The statements recorded in one state. */
export interface Findings {
  /** Judges a statement that was run. */
  hear(run: RunStatement): void;
  /** Whether a statement whose name begins so was run. */
  heard(name: string): boolean;
  /** The statements with useless reads, the worst run of each text, the worst first: one line for each. */
  offenders(): string[];
  /** The exemptions without which there would be more offenders. */
  readonly needed: ReadonlySet<Exemption>;
}

/** Rows that may be touched for each useful one. */
const mostTouched = 5;

/** The criteria of a state. */
export interface Circumstances {
  state: string;
  indexes: Indexes;
  small: ReadonlyMap<string, number>;
  /** The name of a prepared statement; empty for what has none. */
  nameOf(text: string): string;
  /** The rows that count as useful at least: 1, or more while tables are so small that any read is of one page. */
  leastUseful: number;
}

/** Listens in one state. */
export function createFindings({ state, indexes, small, nameOf, leastUseful }: Circumstances): Findings {
  const names = new Set<string>();
  const worst = new Map<string, Finding>();
  const needed = new Set<Exemption>();
  const find = (run: RunStatement, mayCount: boolean): Finding | undefined => {
    const verdict = judge(run.plan, { indexes, small, mayCount });
    const ratio = verdict.touched / Math.max(leastUseful, verdict.useful);
    const unseen = leastUseful > 1 || mayCount ? undefined : verdict.unseen;
    return ratio > mostTouched || unseen !== undefined ? { run, verdict, ratio } : undefined;
  };
  return {
    needed,
    hear(run) {
      const name = nameOf(run.text);
      names.add(name);
      if (find(run, false) === undefined) return;
      const exemption = exemptions.find(({ pattern }) => pattern.test(name) || pattern.test(run.text));
      if (exemption !== undefined) needed.add(exemption);
      if (exemption?.allowed === 'anything') return;
      const found = find(run, exemption?.allowed === 'counting');
      if (found !== undefined && found.ratio >= (worst.get(run.text)?.ratio ?? 0)) worst.set(run.text, found);
    },
    heard: (name) => [...names].some((known) => known.startsWith(name)),
    offenders: () =>
      [...worst.values()]
        .sort((a, b) => b.ratio - a.ratio)
        .map((found) => `${state}: ${describe(found, nameOf(found.run.text))}`),
  };
}

interface Finding {
  run: RunStatement;
  verdict: Verdict;
  ratio: number;
}

function describe({ run, verdict, ratio }: Finding, name: string): string {
  const { touched, useful, worst, unseen } = verdict;
  const words = run.text.trim().replace(/\s+/g, ' ').slice(0, 140);
  const lines = [
    `${ratio.toFixed(1)} (${Math.round(touched)} rows for ${Math.round(useful)}), ${run.application} ${name}: ${words}`,
    describeNode(worst.node),
  ];
  if (unseen !== undefined)
    lines.push(`not entered by ${unseen.columns.join(', ')}: ${describeNode(unseen.node)}`);
  return lines.join('\n    ');
}

function describeNode(node: PlanNode): string {
  const shown = [
    'Relation Name',
    'Index Name',
    'Index Cond',
    'Filter',
    'Join Filter',
    'Actual Rows',
    'Actual Loops',
    'Rows Removed by Filter',
    'Rows Removed by Join Filter',
  ] as const;
  const facts = shown.flatMap((name) => {
    const value = node[name];
    return value === undefined ? [] : `${name.toLowerCase()} ${String(value).slice(0, 160)}`;
  });
  return [node['Node Type'], ...facts].join(', ');
}
