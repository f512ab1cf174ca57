import type { RunStatement } from './auto-explain.ts';
import { type Exemption, exemptions } from './exempt.ts';
import { judge, type Verdict } from './judge.ts';

/** What was heard in one state. */
export interface Findings {
  /** Judges a statement that was run. */
  hear(run: RunStatement): void;
  /** Whether a statement whose name begins so was run. */
  heard(name: string): boolean;
  /** What read in vain, the worst run of each text, the worst first: one line for each. */
  offenders(): string[];
  /** The exemptions without which there would be more offenders. */
  readonly needed: ReadonlySet<Exemption>;
}

/** Rows that may be touched for each useful one. */
const mostTouched = 5;

/**
 * Listens in one state. `leastUseful` is what counts as useful at least: 1, or more while the tables are so small that
 * whatever is read is one page.
 */
export function createFindings(state: string, nameOf: (text: string) => string, leastUseful = 1): Findings {
  const names = new Set<string>();
  const worst = new Map<string, { run: RunStatement; verdict: Verdict; ratio: number }>();
  const needed = new Set<Exemption>();
  const ratioOf = ({ touched, useful }: Verdict) => touched / Math.max(leastUseful, useful);
  return {
    needed,
    hear(run) {
      names.add(nameOf(run.text));
      const strict = judge(run.plan);
      if (ratioOf(strict) <= mostTouched) return;
      const exemption = exemptions.find(
        ({ pattern }) => pattern.test(run.text) || pattern.test(nameOf(run.text)),
      );
      if (exemption !== undefined) needed.add(exemption);
      if (exemption?.allowed === 'anything') return;
      const verdict = exemption?.allowed === 'counting' ? judge(run.plan, { countedIsUseful: true }) : strict;
      const ratio = ratioOf(verdict);
      if (ratio > Math.max(mostTouched, worst.get(run.text)?.ratio ?? 0))
        worst.set(run.text, { run, verdict, ratio });
    },
    heard: (name) => [...names].some((known) => known.startsWith(name)),
    offenders: () =>
      [...worst.values()]
        .sort((a, b) => b.ratio - a.ratio)
        .map(({ run, verdict, ratio }) => {
          const { touched, useful, worst: at } = verdict;
          const rows = `${ratio.toFixed(1)} (${Math.round(touched)} rows for ${Math.round(useful)})`;
          return `${state}: ${rows}, ${run.application} ${nameOf(run.text)}: ${firstWords(run.text)}\n    ${nodeText(at.node)}`;
        }),
  };
}

const firstWords = (text: string): string => text.trim().replace(/\s+/g, ' ').slice(0, 140);

function nodeText(node: Verdict['worst']['node']): string {
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
