// The suite `power`: whether the tests notice faults of the service (tests/power). `--starts`: the faults of processes and
// starts instead; `--only retry-too-early`: one fault, measured again.
import { bootstrap } from '../bootstrap.mjs';
import { groups } from '../build.mjs';
import { withSource } from '../run-source.mjs';
import { prepare } from './prepare.mjs';
import { suiteNamed } from './table.mjs';

/** Gives the exit code. @param {readonly string[]} words @param {AbortSignal} signal */
export async function run(words, signal) {
  await bootstrap({ log: console.error, signal, bundles: [] });
  // The bundle of `integrator` has the name of another, and no process of the service starts it.
  const { integrator: _, ...others } = groups;
  const bundles = Object.assign({}, ...Object.values(others));
  return withSource('tests/power/main.ts', ({ main }) => main(words, bundles, signal));
}

/** Builds what the tests of a suite start. @param {string} suite */
export async function build(suite) {
  await bootstrap({ bundles: Object.keys(groups) });
  await prepare(suiteNamed(suite), new AbortController().signal);
}
