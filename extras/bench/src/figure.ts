/** A goal that a figure is held against. */
export type Goal = { most: number } | { least: number };

/** What one round measures. `work` is the same in every round. */
export interface Figure {
  work: string;
  value: number;
  /** Behind the value, with its blank: ` ms`, `/s`, `×`. */
  unit: string;
  goal?: Goal;
  /** Further observations of the round, in a few words. */
  note?: string;
  /** The page of docs/bench that explains, with a profile, why the goal is missed. */
  why?: string;
  /** What went wrong: it fails the run. */
  failed?: string;
}

/** One line of the table: the medians of the rounds. */
export interface Row extends Figure {
  part: string;
  /** The median of the other checkout, where two were measured. */
  against?: number;
}

/** The rows of a part: the round in the middle of each figure, and the median of the other checkout. */
export function rowsOf(part: string, rounds: readonly Figure[][], against: readonly Figure[][] = []): Row[] {
  const works = rounds[0]?.map(({ work }) => work) ?? [];
  return works.map((work) => {
    const found = figuresOf(work, rounds);
    const middle = median(found.map(({ value }) => value));
    const figure = found.find(({ value }) => Object.is(value, middle));
    if (figure === undefined) throw new Error(`${work} was not measured`);
    const others = figuresOf(work, against);
    const failed = [...found, ...others].find((one) => one.failed !== undefined)?.failed;
    return {
      ...figure,
      part,
      ...(failed !== undefined && { failed }),
      ...(others.length > 0 && { against: median(others.map(({ value }) => value)) }),
    };
  });
}

const figuresOf = (work: string, rounds: readonly Figure[][]): Figure[] =>
  rounds.flatMap((figures) => figures.filter((figure) => figure.work === work));

/** The value relative to the goal: 1 is the goal, more is better. `undefined` without a goal. */
export function ofGoal({ value, goal }: Figure): number | undefined {
  if (goal === undefined) return undefined;
  return 'most' in goal ? goal.most / value : value / goal.least;
}

/** Whether the goal is met; a figure without a goal only fails by `failed`. */
export function isMet(figure: Figure): boolean {
  return (ofGoal(figure) ?? 1) >= 1 && figure.failed === undefined;
}

/** The goal as text. */
export function goalText({ goal, unit }: Figure): string {
  if (goal === undefined) return '';
  return 'most' in goal ? `≤ ${goal.most}${unit}` : `≥ ${goal.least}${unit}`;
}

/** A value as text, with three digits or more. */
export const shown = (value: number, unit: string): string =>
  `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)}${unit}`;

/** The value in the middle; of an even number, the lower one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** The value that a share of the others is not above: 0.99 gives the 99th percentile. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN;
}
