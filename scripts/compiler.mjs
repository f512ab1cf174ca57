// The compiler as the checks run it: types alone, and nothing twice.

/**
 * The words for Node that check the types of a project. Their results are kept below node_modules: the next run checks the
 * files that changed, and those that these reach. One checker: four find the same types again, each for itself, which on two
 * cores takes twice as long.
 * @param {string} project a tsconfig.json, from the root
 */
export const checkTypes = (project) => [
  'node_modules/typescript/bin/tsc',
  '-p',
  project,
  '--checkers',
  '1',
  '--incremental',
  '--tsBuildInfoFile',
  `node_modules/.cache/comanda/${project.replaceAll('/', '-')}.tsbuildinfo`,
];
