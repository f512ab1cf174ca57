import { parseArgs, stripVTControlCharacters } from 'node:util';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import type { Bundles } from '../support/reach.ts';
import { type Copy, openCopy } from './copy.ts';
import { type Fault, keep, readFaults, readResults, tableOf, type Verdict } from './faults.ts';
import { readReach, suiteOf } from './reach.ts';

const limitMs = 180_000;
/** The share of faults that may stay unnoticed. */
const most = 0.05;
/** Whether a file of tests passes without any fault. */
type Passes = Map<string, boolean>;

/** Tries the faults that have no result, and gives the exit code. */
export async function main(words: readonly string[], bundles: Bundles, signal: AbortSignal): Promise<number> {
  const options = { only: { type: 'string' }, starts: { type: 'boolean' } } as const;
  const { only, starts } = parseArgs({ args: [...words], options }).values;
  const lists = only === undefined ? [starts ? 'starts' : 'faults'] : ['faults', 'starts'];
  const faults = lists.flatMap(readFaults).filter(({ name }) => only === undefined || name === only);
  if (faults.length === 0) throw new Error(`there is no fault ${only}`);
  const results = readResults();
  const copy = openCopy(repositoryRoot, signal);
  try {
    const reach = readReach(copy.root, bundles);
    const passes: Passes = new Map();
    for (const fault of faults) {
      const { tests, hash } = reach(fault);
      const old = results[fault.name];
      if (old?.hash === hash && only === undefined) continue;
      const verdict = await verdictOf(fault, tests, copy, passes);
      if (signal.aborted) return 130;
      const before = old?.verdict === 'noticed' ? old.test : old?.before;
      const kept = { ...verdict, ...(before !== undefined && { before }) };
      results[fault.name] = { ...kept, ...(kept.verdict !== 'does not run' && { hash }) };
      keep(results);
      console.log(`${fault.name}: ${verdict.verdict} ${verdict.test ?? ''}`);
    }
  } finally {
    copy.remove();
  }
  console.log(tableOf(faults, results));
  const others = faults.filter(({ name }) => results[name]?.verdict !== 'noticed');
  const lost = others.filter(({ name }) => results[name]?.before !== undefined);
  for (const { name } of lost) console.log(`${name} was noticed before`);
  return lost.length === 0 && others.length <= most * faults.length ? 0 : 1;
}

/** The verdict of the tests that pass without the fault. */
async function verdictOf(fault: Fault, tests: string[], copy: Copy, passes: Passes): Promise<Verdict> {
  const verdict = await tryTests(fault, tests, copy);
  const [file] = verdict.test?.split(' > ') ?? [];
  if (file === undefined) return verdict;
  if (!passes.has(file)) {
    const suite = suiteOf(file) ?? '';
    await copy.build(suite);
    passes.set(file, (await copy.test(suite, [file], limitMs))?.failed === 0);
  }
  if (passes.get(file)) return verdict;
  return verdictOf(
    fault,
    tests.filter((test) => test !== file),
    copy,
    passes,
  );
}

async function tryTests({ name, patch }: Fault, tests: string[], copy: Copy): Promise<Verdict> {
  let leftMs = limitMs;
  const seconds = () => Math.round((limitMs - leftMs) / 1000);
  try {
    copy.apply(patch);
    // Suites with needs of their own come last.
    for (const suite of new Set(tests.map((test) => suiteOf(test) ?? '').sort())) {
      await copy.build(suite);
      const files = tests.filter((test) => suiteOf(test) === suite);
      const began = performance.now();
      const run = await copy.test(suite, files, leftMs);
      leftMs -= performance.now() - began;
      if (run === undefined) return { verdict: 'out of time', seconds: seconds() };
      const [, test] = failedTest.exec(stripVTControlCharacters(run.output)) ?? [];
      if (test !== undefined) return { verdict: 'noticed', test, seconds: seconds() };
      if (run.failed > 0) throw new Error(run.output.slice(-4_000));
    }
    return { verdict: 'not noticed', seconds: seconds() };
  } catch (error) {
    console.error(`${name}:`, error);
    return { verdict: 'does not run', seconds: seconds() };
  } finally {
    copy.revert();
  }
}

/** The line of vitest about the first test that failed, with its file. */
const failedTest = /^ FAIL .*?(tests\/\S+\.test\.ts(?: > .*)?)/m;
