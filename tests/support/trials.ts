/** Whether this run is the long form of the fault and property tests: the suites `faults` and `fuzz` (scripts/suites). */
export const thorough = process.env.COMANDA_TRIALS === 'full';

/** How often to try: the short form runs in the suites `slow` and `pressure`, the full one in the suites `faults` and `fuzz`. */
export function trials(short: number, full: number): number {
  return thorough ? full : short;
}

/** The seed of a property test: `COMANDA_SEED`, else one by chance in the full form, and this one in the short form. */
export const seedOf = (short: number): number =>
  Number(process.env.COMANDA_SEED ?? (thorough ? Math.floor(Math.random() * 1e9) : short));

/** The failures of a fault test. `real` are the trials in which the fault hit what it was meant to hit. */
export interface FaultReport {
  trials: number;
  real: number;
  [figure: string]: number | string;
}

/** Prints one line per fault: `fault: API killed under load: trials 50, real 50, acknowledged 1234, lost 0`. */
export function reportFault(fault: string, figures: FaultReport): void {
  const shown = Object.entries(figures).map(([name, figure]) => `${name} ${figure}`);
  process.stdout.write(`fault: ${fault}: ${shown.join(', ')}\n`);
}
