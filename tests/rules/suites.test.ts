import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { wordsOf } from '../../scripts/suites/command-line.mjs';
import { commandOf, globsOf, suiteNamed, suites } from '../../scripts/suites/table.mjs';
import { textFiles } from './words/find.ts';

const read = (file: string) => readFileSync(join(repositoryRoot, file), 'utf8');
/** Texts for people, and files that call a script. Facts of a release stay in its changelog. */
const texts = [
  ...textFiles(repositoryRoot, /\.(md|mjs|ts|tsx|yaml|yml|cfg|conf|sh)$/).filter(
    (file) => file !== 'CHANGELOG.md',
  ),
  '.ci/run',
];

/** The name of a test that begins with a page and a place in it: `events.md 5: a transaction …`. */
const pageName =
  /(?:\b(?:it|test|describe)(?:\.\w+)?|\]\))\(\s*['"`][a-z]+(?:\.md)?,? (?:stop )?\d[\d:]*: .*/g;

const startOf = (glob: string): string => glob.replace('**/*.test.ts', '');

describe('suites of tests', () => {
  it('a file of tests would run in no suite, or in two', () => {
    const short = suites.filter(({ trials, name }) => trials === undefined && name !== 'quick');
    const twice = texts
      .filter((file) => file.startsWith('tests/') && file.endsWith('.test.ts'))
      .map((file) => ({
        file,
        of: short.filter((suite) => globsOf(suite).some((glob) => file.startsWith(startOf(glob)))),
      }))
      .filter(({ of }) => of.length > 1);
    expect(twice).toEqual([]);
    expect(suiteNamed('quick').ci).toEqual([]);
  });

  it('a test would be named after a page instead of what goes wrong', () => {
    const named = texts
      .filter((file) => file.startsWith('tests/') && file.endsWith('.test.ts'))
      .flatMap((file) => read(file).match(pageName) ?? []);
    expect(named).toEqual([]);
  });

  it('a suite would name a folder or a program that is gone', () => {
    const gone = suites.flatMap((suite) => [
      ...globsOf(suite).map(startOf),
      ...(suite.program === undefined ? [] : [join('scripts/suites', suite.program)]),
    ]);
    expect(gone.filter((path) => !existsSync(join(repositoryRoot, path)))).toEqual([]);
  });

  it.each([
    [[], ['quick'], []],
    [['--watch'], ['quick'], []],
    [['tests/api'], [], ['tests/api']],
    [
      ['--suite', 'slow', '--suite=pressure', '-t', 'x'],
      ['slow', 'pressure'],
      ['-t', 'x'],
    ],
    [['--suite', 'postgres', '15', '--suite', 'slow'], ['postgres'], ['15', '--suite', 'slow']],
    [['--suite', 'soak', '--minutes', '30'], ['soak'], ['--minutes', '30']],
    [['--suite', 'outside', 'tests/outside/drill.test.ts'], ['outside'], ['tests/outside/drill.test.ts']],
  ])('%j names its suites, and leaves the other words', (words, names, rest) => {
    const { suites: chosen, rest: left } = wordsOf(words);
    expect([chosen.map(({ name }) => name), left]).toEqual([names, rest]);
  });

  it.each([
    [['--suite', 'fast'], 'there is no suite fast; npm test -- --suites lists them'],
    [['--suite'], 'there is no suite ; npm test -- --suites lists them'],
    [['tests/api', '--suite', 'soak'], '--suite soak comes first: it takes every word that follows'],
    [['tests/tools'], 'tests/tools needs its suite: npm test -- --suite tools tests/tools'],
  ])('%j is refused with a sentence', (words, sentence) => {
    expect(() => wordsOf(words)).toThrow(sentence);
  });
});

describe('commands in documents and comments', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
  const said = texts.flatMap((file) =>
    [...read(file).matchAll(/npm (?:run (?:-s )?([a-z]\w*(?:[:-]\w+)*)|(start))|--suite[ =]([a-z]+)/g)].map(
      ([, script, start, suite]) => ({ file, script: script ?? start, suite }),
    ),
  );

  it('a text would name a script or a suite that does not exist', () => {
    // Texts about a script or a suite that is refused.
    const made = new Set(['tests/rules/suites.test.ts']);
    const missing = said.filter(
      ({ file, script, suite }) =>
        !made.has(file) &&
        ((script !== undefined && !Object.hasOwn(scripts, script)) ||
          (suite !== undefined && !suites.some(({ name }) => name === suite))),
    );
    expect(missing).toEqual([]);
  });

  it('a script would be named in no guide', () => {
    const guides = said.filter(({ file }) => /^(README|CONTRIBUTING|docs\/(?!decisions)[^ ]*)/.test(file));
    const named = new Set(['test', ...guides.map(({ script }) => script)]);
    expect(Object.keys(scripts).filter((name) => !named.has(name))).toEqual([]);
  });

  it('CONTRIBUTING would list a suite that does not run as it says', () => {
    for (const suite of suites) expect(read('CONTRIBUTING.md')).toContain(`| \`${commandOf(suite)}\` |`);
  });
});
