import { family, type MetricFamily, shared, single } from './family.ts';
import { checking } from './table.ts';

/** The outcomes of a check of doctor, from good to bad, except `unknown`, which is no success. */
export const outcomes = ['ok', 'warning', 'unknown', 'wrong'] as const;

/**
 * How bad it is: `warning` is worth a look, `unknown` could not be looked at, which is no success, `wrong` keeps
 * something from working.
 */
export type Outcome = (typeof outcomes)[number];

/** One check, and how it came out. */
export interface CheckOutcome {
  name: string;
  outcome: Outcome;
}

/** The outcomes of the checks of doctor, as metrics. */
export interface CheckMetrics {
  /**
   * The findings of the last look; empty until the first has ended. Begins the next look once it is due, and does not
   * wait for it.
   */
  families(): MetricFamily[];
}

/**
 * Looks while it is asked, and no oftener than every `everyMs`: where nothing scrapes, nothing is looked at. A look that fails leaves
 * what the one before found, which grows old.
 */
export function measureChecks(
  look: () => Promise<readonly CheckOutcome[]>,
  everyMs: number = checking.everyMs,
): CheckMetrics {
  let last: LastLook | undefined;
  let begunAt = Number.NEGATIVE_INFINITY;
  let looking = false;

  const lookAgain = async () => {
    try {
      const found = await look();
      last = { found, at: performance.now() };
    } catch {
      // It grows old, and the age says so.
    } finally {
      looking = false;
    }
  };
  return {
    families() {
      const now = performance.now();
      if (!looking && now - begunAt >= everyMs) {
        looking = true;
        begunAt = now;
        void lookAgain();
      }
      return checkFamilies(last);
    },
  };
}

/** The metrics of a process that runs no checks, such as one whose parent runs them. */
export const noChecks: CheckMetrics = { families: () => checkFamilies(undefined) };

interface LastLook {
  found: readonly CheckOutcome[];
  at: number;
}

function checkFamilies(last: LastLook | undefined): MetricFamily[] {
  const samples = (last?.found ?? []).flatMap(({ name, outcome: found }) =>
    outcomes.map((outcome) => ({ labels: { check: name, outcome }, value: outcome === found ? 1 : 0 })),
  );
  const age = last === undefined ? [] : single((performance.now() - last.at) / 1_000);
  return [family('comanda_check_outcome', samples), family('comanda_checks_age_seconds', age)].map(shared);
}
