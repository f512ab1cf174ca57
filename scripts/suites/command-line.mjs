import { suites as all, pathsOf, suiteNamed } from './table.mjs';

/**
 * Reads what follows `npm test --`. Without a suite's name and without words for vitest it is the suite `quick`.
 * @param {readonly string[]} words
 * @returns {import('./command-line.mjs').Words}
 * @throws {Error} for a suite that does not exist, a program with other suites, or files that only their suite runs.
 */
export function wordsOf(words) {
  const read = { list: false, suites: [], watching: false, rest: [] };
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--suites') read.list = true;
    else if (word === '--nightly') return { ...read, suites: [nightly], rest: left };
    else if (word === '--watch') read.watching = true;
    else if (word === '--suite' || word.startsWith('--suite=')) {
      const suite = suiteNamed(word === '--suite' ? (left.shift() ?? '') : word.slice('--suite='.length));
      const isFirst = read.suites.length + read.rest.length === 0;
      read.suites.push(suite);
      if (suite.program === undefined) continue;
      if (!isFirst) throw new Error(`--suite ${suite.name} comes first: it takes every word that follows`);
      return { ...read, rest: left };
    } else read.rest.push(word);
  }
  if (read.suites.length > 0) return read;
  for (const word of read.rest) refuseApart(word);
  return read.rest.length > 0 ? read : { ...read, suites: [suiteNamed('quick')] };
}

/** @type {import('./table.mjs').Suite} */
const nightly = { name: 'nightly', holds: 'the suites of the night', runs: 'hand', program: './nightly.mjs' };

/** Files that need more than the packages of the repository run by the name of their suite. @param {string} word */
function refuseApart(word) {
  const suite = all.find(
    (each) => each.needs !== undefined && pathsOf(each).some((path) => word.startsWith(path)),
  );
  if (suite !== undefined)
    throw new Error(`${word} needs its suite: npm test -- --suite ${suite.name} ${word}`);
}
