// npm run faults: the fault tests in their long form. `-- patroni` is the switchover under Patroni (npm run patroni), which
// needs programs that no package of ours brings; all else that follows `--` goes to vitest.
const words = process.argv.slice(2);
const patroni = words.includes('patroni');
process.env.COMANDA_TRIALS = 'full';
if (patroni) process.env.COMANDA_OUTSIDE = 'yes';
const chosen = patroni
  ? ['tests/outside/patroni.test.ts']
  : ['tests/faults', 'tests/soak', 'tests/concurrency/random-walk.test.ts', 'tests/fuzz/hand-edits.test.ts'];
process.argv.splice(2, words.length, ...chosen, ...words.filter((word) => word !== 'patroni'));
await import('./test.mjs');
