// npm test: makes the clone runnable, checks it, and runs the suite `quick` on a PostgreSQL of its own. The words after `--`:
// `--suites` lists the suites (scripts/suites/table.mjs); `--suite <name>` runs one, and may be given again; other
// words are arguments of vitest (`npm test -- tests/api`): such a run takes the tests named, of any suite, and omits the check.
// `--watch` stays, and runs the tests that an edit touches again. A suite that is a program gets every word after its name.
import { bootstrap, runNode, runScript, withSignals } from './bootstrap.mjs';
import { groups } from './build.mjs';
import { wordsOf } from './suites/command-line.mjs';
import { listed } from './suites/list.mjs';
import { prepare } from './suites/prepare.mjs';
import { runTests } from './suites/run.mjs';

await runScript(() => withSignals((signal) => test(process.argv.slice(2), signal)));
process.exit();

async function test(words, signal) {
  const { list, suites, watching, rest } = wordsOf(words);
  if (list) {
    console.log(listed());
    return 0;
  }
  const [program] = suites;
  if (program?.program !== undefined) {
    const { run } = await import(new URL(program.program, new URL('./suites/', import.meta.url)));
    return run(rest, signal);
  }
  await bootstrap({ log: console.error, signal, bundles: Object.keys(groups) });
  const total = { passed: 0, failed: 0 };
  const isWhole = suites.some(({ name }) => name === 'quick') && rest.length === 0 && !watching;
  if (isWhole && (await runNode(['scripts/check.mjs'], { signal })) !== 0) {
    console.error('\nnpm run check failed: it counts as one failed test\n');
    total.failed += 1;
  }
  for (const suite of suites.length > 0 ? suites : [undefined]) {
    const env = suite === undefined ? {} : await prepare(suite, signal);
    const { passed, failed } = await runTests({ suite, words: rest, watching, env }, signal);
    total.passed += passed;
    total.failed += failed;
  }
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
}
