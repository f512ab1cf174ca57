import { commandOf, suites } from './table.mjs';

/** When a suite runs, for people. @type {Readonly<Record<import('./table.mjs').Suite['runs'], string>>} */
const runsWhen = {
  change: '.ci/run',
  touched: '.ci/run when it is touched, and --nightly',
  night: '--nightly',
  hand: 'by hand',
};

/** The suites for a terminal: the command of each, when it runs, what it needs and what it holds. */
export function listed() {
  return suites
    .map((suite) => {
      const { runs, needs, holds } = suite;
      const facts = [runsWhen[runs], ...(needs === undefined ? [] : [`needs ${needs}`])];
      return `${commandOf(suite)}\n  ${facts.join('; ')}\n  ${holds}\n`.replaceAll('`', '');
    })
    .join('\n');
}
