import { type Measure, medians, type Side } from './load.ts';

/** One line of the table: a figure, the goal it is held against, and whether it is met. */
export interface Row {
  part: string;
  work: string;
  goal: string;
  /** The figure of the goal, as text with its unit. */
  figure: string;
  met: boolean;
  /** The figure and its goal as numbers on one scale, for the chart: 1 is the goal. */
  ofGoal: number;
  /** Median measures of each side, where two were compared. */
  sides?: Record<Side['name'], Measure>;
  /** Further observations, in a few words. */
  note?: string;
  /** The page of docs/bench that says, with a profile, why the goal is missed. */
  why?: string;
  /** The costs of operations, dearest first. */
  costs?: Cost[];
}

/** The cost of a call of an operation, in microseconds of CPU, with all that follows. */
export interface Cost {
  operation: string;
  perSecond: number;
  apiUs: number;
  postgresUs: number;
  workerUs: number;
  /** The cost of the same in the hand-written reference, which has neither key nor events. */
  byHandUs?: { node: number; postgres: number };
}

/** The line of a comparison: requests a second, Comanda's share of the reference's. */
export function ratioRow(
  part: string,
  work: string,
  least: number,
  found: Record<Side['name'], Measure[]>,
  note?: string,
): Row {
  const sides = { comanda: medians(found.comanda), reference: medians(found.reference) };
  const failures = sides.comanda.failures + sides.reference.failures;
  const ratio = sides.comanda.perSecond / sides.reference.perSecond;
  const first = sides.comanda.firstFailure ?? sides.reference.firstFailure;
  const failed = failures > 0 ? `${failures} requests failed, the first: ${first}` : undefined;
  const notes = [note, failed].filter((text) => text !== undefined).join('; ');
  return {
    part,
    work,
    goal: `≥ ${least}`,
    figure: ratio.toFixed(2),
    met: ratio >= least && failures === 0,
    ofGoal: ratio / least,
    sides,
    ...(notes !== '' && { note: notes }),
  };
}

/** The goal of a figure: `most` or `least`, and its unit. */
export type Goal = ({ most: number } | { least: number }) & { unit: string };

/** The line of a figure that must not be above, or below, its goal. */
export function figureRow(part: string, work: string, goal: Goal, value: number, note?: string): Row {
  const [sign, bound] = 'most' in goal ? (['≤', goal.most] as const) : (['≥', goal.least] as const);
  const ofGoal = sign === '≤' ? bound / value : value / bound;
  return {
    part,
    work,
    goal: `${sign} ${bound}${goal.unit}`,
    figure: `${round(value)}${goal.unit}`,
    met: ofGoal >= 1,
    ofGoal,
    ...(note !== undefined && { note }),
  };
}

const round = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
