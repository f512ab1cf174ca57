// npm run try:recipes: carries out the recipes of ARCHITECTURE on a copy of the tree, checks it, tests it from outside, and
// throws it away. Each place is forgotten in turn: the compiler or exactly one test must say so. `--short` forgets two, and
// runs what is new of the tests. Nothing is written into this tree.
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';
import { barcode } from './recipes/barcode.mjs';
import { copyTree, runIn, testIn } from './recipes/copy.mjs';
import { carryOut, textOf } from './recipes/recipe.mjs';
import { suppliers } from './recipes/suppliers.mjs';

const source = dirname(dirname(fileURLToPath(import.meta.url)));
const short = process.argv.includes('--short');
const recipes = [suppliers, barcode];
const placesTest = 'tests/contract/places.test.ts';
const contract = (...names) => names.map((name) => `tests/contract/${name}.test.ts`);

/** What the recipes touch; a filter takes what is new of it. */
const affected = short
  ? [
      { files: [placesTest, 'tests/docs/events', ...contract('specification'), 'tests/db/drift.test.ts'] },
      {
        files: contract('fields', 'batch-fields', 'access', 'documents', 'rest-equals-trpc'),
        filter: '[sS]upplier|barcode',
      },
    ]
  : [
      // The site is built by a generator of its own (npm run site).
      {
        files: [
          'tests/contract',
          'tests/docs/events',
          'tests/db',
          'tests/rules',
          'tests/architecture.test.ts',
        ],
      },
      {
        files: [
          'tests/worker/rules',
          'tests/api/product',
          'tests/api/catalog',
          'tests/api/sync',
          'tests/client',
        ],
      },
      { files: ['tests/attack', 'tests/plans'] },
    ];

const generate = ['-e', "import('./scripts/bootstrap.mjs').then((made) => made.bootstrap({ bundles: [] }))"];
const compile = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'];

const total = { passed: 0, failed: 0 };
await runScript(async () => {
  const copy = mkdtempSync(join(tmpdir(), 'comanda-recipes-'));
  // The database server of a root run is another user and must be able to pass.
  chmodSync(copy, 0o711);
  try {
    await withSignals(async (signal) => {
      await bootstrap({ log: console.error, signal, bundles: [] });
      await tryIn(copy, signal);
    });
  } finally {
    rmSync(copy, { recursive: true, force: true, maxRetries: 5 });
  }
  console.log(`${(performance.now() / 60_000).toFixed(1)} minutes`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
});
process.exit();

/** @param {string} copy @param {AbortSignal} signal */
async function tryIn(copy, signal) {
  copyTree(source, copy);
  for (const { name, most, places } of recipes) {
    const files = places.map(({ file }) => `\n    ${file}`);
    say(places.length <= most, `${name}: ${places.length} places by hand, ${most} at most${files.join('')}`);
    for (const place of places) carryOut(copy, place);
  }
  for (const args of [generate, ['scripts/migration.mjs', 'try_recipes'], ['scripts/docs.mjs'], compile])
    await runIn(copy, signal, args);
  say(true, 'what is generated, and the types of the whole');
  const outside = recipes.map((_, index) => join(copy, `tests/api/recipe-${index}.test.ts`));
  for (const [index, { test }] of recipes.entries()) writeFileSync(outside[index], textOf(test));
  for (const part of [{ files: ['tests/api/recipe-'] }, ...affected]) {
    const { count, failures } = await testIn(copy, signal, part);
    say(
      count > 0 && failures.length === 0,
      [`${part.files.join(' ')}: ${count} tests`, ...failures].join('\n'),
    );
  }
  // Who forgets a place has no test of it either.
  for (const file of outside) rmSync(file);
  const all = recipes.flatMap(({ name, places }) => places.map((place) => ({ name, place })));
  const missedBy = (who) => all.findLast(({ place }) => place.missed === who);
  for (const { name, place } of short ? [missedBy('compiler'), missedBy('test')] : all) {
    const said = await forget(copy, signal, place);
    say(said.by === place.missed, `${name}, without ${place.file}: ${said.words}`);
  }
}

/** Takes a place away, with what is generated of it, looks who says so, and puts it back. */
async function forget(copy, signal, place) {
  const files = [place.file, place.made ?? []].flat();
  const whole = files.map((file) => readFileSync(join(copy, file), 'utf8'));
  for (const file of files) {
    if (existsSync(join(source, file))) cpSync(join(source, file), join(copy, file));
    else rmSync(join(copy, file));
  }
  const others = recipes.flatMap(({ places }) => places).filter((each) => each.file === place.file);
  for (const other of others) if (other !== place) carryOut(copy, other);
  const made = place.file.endsWith('.prisma') ? [generate] : [];
  try {
    for (const args of made) await runIn(copy, signal, args);
    const fault = await runIn(copy, signal, compile).then(
      () => undefined,
      (error) => /^.*error TS.*$/m.exec(error.message)?.[0] ?? error.message,
    );
    if (fault !== undefined) return { by: 'compiler', words: fault };
    const { failures } = await testIn(copy, signal, { files: [placesTest] });
    if (failures.length === 0) return { by: 'nobody', words: 'nobody says so' };
    const names = failures.length === 1 && failures[0]?.includes(`: ${place.file} `);
    return {
      by: names ? 'test' : 'several',
      words: failures.map((failure) => failure.split('\n')[0]).join('; '),
    };
  } finally {
    for (const [index, file] of files.entries()) writeFileSync(join(copy, file), whole[index]);
    for (const args of made) await runIn(copy, signal, args);
  }
}

/** @param {boolean} good @param {string} text */
function say(good, text) {
  total[good ? 'passed' : 'failed'] += 1;
  console.log(`${good ? '✓' : '✗'} ${text}`);
}
