// The suite `recipes`: carries out the recipes of ARCHITECTURE on a copy of the tree, runs npm run check and the tests there that
// go over every table, operation and statement, and leaves out two places: the compiler or exactly one test must name each. `--long`
// runs the whole of npm test, and leaves out each place in turn. Nothing is written into this tree.
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../bootstrap.mjs';
import { checkTypes } from '../compiler.mjs';
import { barcode } from '../recipes/barcode.mjs';
import { copyTree, failuresOf, npmTest, runIn } from '../recipes/copy.mjs';
import { origin } from '../recipes/origin.mjs';
import { carryOut, textOf } from '../recipes/recipe.mjs';
import { supplier } from '../recipes/supplier.mjs';
import { suppliers } from '../recipes/suppliers.mjs';
import { failuresIn } from './output.mjs';

const source = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const recipes = [suppliers, barcode, supplier, origin];
const placesTest = 'tests/contract/places.test.ts';

const generate = ['-e', "import('./scripts/bootstrap.mjs').then((made) => made.bootstrap({ bundles: [] }))"];
const compile = checkTypes('tsconfig.json');
/** The commands after the edits by hand, as the recipes say. */
const generated = [generate, ['scripts/migration.mjs', 'try_recipes'], ['scripts/docs.mjs']];
/** The tests that go over every table, operation and statement: for --long in addition to npm test, which is without the last. */
const seen = {
  short: [
    'tests/api/recipe-',
    'tests/architecture.test.ts',
    'tests/contract',
    'tests/db',
    'tests/docs',
    'tests/plans',
    'tests/attack/foreign-keys',
    'tests/attack/page-bytes',
  ],
  long: ['tests/attack', 'tests/plans'],
};

const total = { passed: 0, failed: 0 };

/** Gives the exit code. @param {readonly string[]} words @param {AbortSignal} signal */
export async function run(words, signal) {
  const copy = mkdtempSync(join(tmpdir(), 'comanda-recipes-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(copy, 0o711);
  try {
    await bootstrap({ log: console.error, signal, bundles: [] });
    await tryIn(copy, signal, !words.includes('--long'));
  } finally {
    rmSync(copy, { recursive: true, force: true, maxRetries: 5 });
  }
  console.log(`${(performance.now() / 60_000).toFixed(1)} minutes`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}

/** @param {string} copy @param {AbortSignal} signal @param {boolean} short */
async function tryIn(copy, signal, short) {
  copyTree(source, copy);
  for (const { name, most, places } of recipes) {
    const files = places.map(({ file }) => `\n    ${file}`);
    say(places.length <= most, `${name}: ${places.length} places by hand, ${most} at most${files.join('')}`);
    for (const place of places) carryOut(copy, place);
  }
  for (const args of generated) await runIn(copy, signal, args);
  const outside = recipes.map((_, index) => join(copy, `tests/api/recipe-${index}.test.ts`));
  for (const [index, { test, rows }] of recipes.entries()) {
    writeFileSync(outside[index], textOf(test));
    if (rows !== undefined) carryOut(copy, rows);
  }
  if (short) await runIn(copy, signal, ['scripts/check.mjs']);
  else await testIn(copy, signal, []);
  await testIn(copy, signal, seen[short ? 'short' : 'long']);
  // The test of a recipe fails for every place of it: what a place's own test says would be lost among that.
  for (const file of outside) rmSync(file);
  const all = recipes.flatMap((recipe) =>
    recipe.places.map((place) => ({ recipe, name: recipe.name, place })),
  );
  const missedBy = (which) => all.findLast(({ place }) => place.missed === which);
  for (const { recipe, name, place } of short ? [missedBy('compiler'), missedBy('test')] : all) {
    const found = await leaveOut(copy, signal, recipe, place);
    say(found.by === place.missed, `${name}, without ${place.file}: ${found.words}`);
  }
}

/**
 * Runs npm test in the copy, or some of its files. Passed, the thousands of tests count as one line; each that failed counts.
 * @param {string} copy @param {AbortSignal} signal @param {string[]} files
 */
async function testIn(copy, signal, files) {
  const name = ['npm test', ...(files.length > 0 ? ['--', ...files] : [])].join(' ');
  const { passed, failed, output } = await npmTest(copy, signal, files);
  if (failed === 0) return say(true, `${name}: ${passed} tests`);
  const failures = failuresIn(output);
  const check = output.split('npm run check failed')[0] ?? '';
  const tail = failures.length > 0 && output !== check ? [check.slice(-4_000)] : [];
  say(false, [`${name}: ${failed} of ${passed + failed} failed`, ...tail, ...failures].join('\n'), failed);
}

/** Takes a place away, looks for what names it, and puts it back. */
async function leaveOut(copy, signal, recipe, place) {
  const { file } = place;
  const whole = readFileSync(join(copy, file), 'utf8');
  if (existsSync(join(source, file))) cpSync(join(source, file), join(copy, file));
  else rmSync(join(copy, file));
  // A later step that builds on the recipe does not find its anchor any more.
  const others = recipes.filter(({ buildsOn }) => buildsOn !== recipe).flatMap(({ places }) => places);
  for (const other of others) if (other.file === file && other !== place) carryOut(copy, other);
  const made = file.endsWith('.prisma') ? [generate] : [];
  try {
    for (const args of made) await runIn(copy, signal, args);
    const fault = await compileError(copy, signal);
    if (fault !== undefined) return { by: 'compiler', words: fault };
    const failures = await failuresOf(copy, signal, placesTest);
    if (failures.length === 0) return { by: 'nothing', words: 'nothing fails' };
    const names = failures.length === 1 && failures[0]?.includes(`: ${file} `);
    return {
      by: names ? 'test' : 'several',
      words: failures.map((failure) => failure.split('\n')[0]).join('; '),
    };
  } finally {
    writeFileSync(join(copy, file), whole);
    for (const args of made) await runIn(copy, signal, args);
  }
}

/** The first error of the compiler; undefined when there is none. Throws what kept it from compiling. */
async function compileError(copy, signal) {
  try {
    await runIn(copy, signal, compile);
    return undefined;
  } catch (error) {
    const [first] = /^.*error TS.*$/m.exec(error.message) ?? [];
    if (first === undefined) throw error;
    return first;
  }
}

/** @param {boolean} good @param {string} text @param {number} [count] */
function say(good, text, count = 1) {
  total[good ? 'passed' : 'failed'] += count;
  console.log(`${good ? '✓' : '✗'} ${text}`);
}
