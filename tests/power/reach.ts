import { createHash } from 'node:crypto';
import { type Suite, suites } from '../../scripts/suites/table.mjs';
import { behindDocuments } from '../../scripts/suites/touched.ts';
import { allSql, type Bundles, readGraph, stepsFrom } from '../support/reach.ts';
import type { Fault } from './faults.ts';

/** The suite of `.ci/run` that has a file: `quick` where no row names it, undefined where `.ci/run` omits the file. */
function suiteWith(test: string): Suite | undefined {
  const has = suites.filter(({ files = [] }) => files.some((name) => test.startsWith(`tests/${name}`)));
  const ofCi = has.filter(({ runs }) => runs === 'change' || runs === 'touched');
  // A part has its files from a folder of another suite.
  return has.length === 0 ? suites[0] : ofCi.at(-1);
}

/** The suite by whose name a file has to run: '' where it needs none, undefined where `.ci/run` omits the file. */
export function suiteOf(test: string): string | undefined {
  const suite = suiteWith(test);
  return suite === undefined || suite.needs !== undefined ? suite?.name : '';
}

/**
 * Reads the imports of a tree. Gives the test files of `.ci/run` that reach a fault, the nearest first, and the digest of
 * the patch, of these files and of all below `tests` that they import.
 */
export function readReach(root: string, bundles: Bundles) {
  const { files, reached, reachers } = readGraph(root, bundles);
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const words = new Map(
    files
      .filter(({ path }) => path.endsWith('.test.ts') && suiteOf(path) !== undefined)
      .map(({ path, text }) => [path, wordsOf(path + text)]),
  );
  return ({ name, patch, sentence, files }: Fault) => {
    const targets = files.map((file) => (file.startsWith(`${allSql}/`) ? allSql : file));
    const distances = stepsFrom(targets, reachers);
    const distanceOf = (test: string) => distances.get(test) ?? 0;
    // A client of the service runs for a change of the documents, not for one behind them.
    const isBehind = targets.every(behindDocuments);
    const tests = [...words.keys()].filter(
      (test) => distances.has(test) && !(isBehind && suiteWith(test)?.isPeer),
    );
    // Behind an API all tests are as many steps away. The rare words decide that a test shares with the fault.
    for (const word of wordsOf([name, sentence, ...files].join(' '))) {
      const having = tests.filter((test) => words.get(test)?.has(word));
      const rarity = Math.log(tests.length / having.length);
      for (const test of having)
        distances.set(test, distanceOf(test) - rarity * (test.includes(word) ? 3 : 1));
    }
    tests.sort((one, other) => distanceOf(one) - distanceOf(other));
    const hash = createHash('sha256').update(patch);
    const used = [...stepsFrom(tests, reached).keys()]
      .filter((path) => /^(tests|extras\/\w+\/(tests|journeys))\//.test(path))
      .sort();
    for (const path of used) hash.update(`\0${path}\0${texts.get(path)}`);
    return { tests, hash: hash.digest('hex') };
  };
}

/** The words of names and paths, in the singular. */
const wordsOf = (text: string): Set<string> =>
  new Set((text.match(/[A-Z]?[a-z]{2,}/g) ?? []).map((word) => word.toLowerCase().replace(/s$/, '')));
