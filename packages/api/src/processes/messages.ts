import type { MetricFamily } from '../metrics/family.ts';

/** The messages of a serving process to the first one. */
export type FromProcess =
  | { ready: true; url: string }
  /** Asks for the metrics of the others, and gives its own. */
  | { siblings: number; own: MetricFamily[] }
  /** Answers `own` of the same number. */
  | { answered: number; own: MetricFamily[] };

/** The messages of the first process to a serving one. */
export type ToProcess =
  /** Asks for its metrics. */
  | { own: number }
  /** Answers `siblings` of the same number: the metrics of the others, and of those that have ended. */
  | { answer: number; parts: MetricFamily[][] };
