import { commandOf, suites } from './table.mjs';

/** The suites for a terminal: the command of each, when it runs, how long, what it needs and what it holds. */
export function listed() {
  return suites
    .map((suite) => {
      const { ci, during, minutes, needs, holds } = suite;
      const facts = [
        ci === undefined
          ? 'by hand'
          : ['.ci/run', ...(ci.length > 0 ? [`with ${ci.join(' ')}`] : [])].join(' '),
        ...(during === undefined ? [] : [`while ${during} runs`]),
        ...(minutes === undefined ? [] : [`${minutes} min`]),
        ...(needs === undefined ? [] : [`needs ${needs}`]),
      ];
      return `${commandOf(suite)}\n  ${facts.join('; ')}\n  ${holds}\n`.replaceAll('`', '');
    })
    .join('\n');
}
