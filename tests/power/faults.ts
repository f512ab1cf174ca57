import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { repositoryRoot } from '../../packages/db/src/root.ts';

/** A patch, the sentence before it, and the files that it changes. */
export type Fault = ReturnType<typeof readFaults>[number];

export interface Verdict {
  readonly verdict: 'noticed' | 'not noticed' | 'out of time' | 'does not run';
  /** The test that noticed the fault, after its file; `before`: the one that did when the tests were others. */
  readonly test?: string;
  readonly before?: string;
  readonly seconds: number;
  /** The digest of the patch and its tests; absent where the fault has to run again. */
  readonly hash?: string;
}

/** The last verdict of each fault. */
export type Results = Record<string, Verdict>;

const folder = join(repositoryRoot, 'tests/power');
const resultsFile = join(folder, 'results.json');
const head = '| Fault | Harm | Verdict | Test | Seconds |\n| --- | --- | --- | --- | ---: |\n';

/** The faults of a list, by name. */
export function readFaults(list: string) {
  const names = readdirSync(join(folder, list)).filter((file) => file.endsWith('.patch'));
  return names.sort().map((file) => {
    const patch = readFileSync(join(folder, list, file), 'utf8');
    const files = [...patch.matchAll(/^\+\+\+ b\/(.+)$/gm)].flatMap(([, path]) => path ?? []);
    return { name: basename(file, '.patch'), patch, sentence: patch.slice(0, patch.indexOf('\n')), files };
  });
}

export const readResults = (): Results =>
  existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : {};

/** Writes the results, and the page that shows them. */
export function keep(results: Results): void {
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  const tables = ['faults', 'starts'].map((list) => tableOf(readFaults(list), results));
  writeFileSync(join(folder, 'results.md'), `# Faults that the tests notice\n\n${tables.join('\n')}`);
}

/** How many of these faults are noticed, and a row for each that has a verdict. */
export function tableOf(faults: readonly Fault[], results: Results): string {
  const rows = faults.flatMap(({ name, sentence }) => {
    const { verdict, test, before, seconds } = results[name] ?? {};
    if (verdict === undefined) return [];
    const shown = test ?? (before && `before: ${before}`) ?? '';
    const quoted = shown && `\`${shown.replaceAll(/[`|]/g, ' ')}\``;
    return [`| ${name} | ${sentence} | ${verdict} | ${quoted} | ${seconds} |\n`];
  });
  const noticed = faults.filter(({ name }) => results[name]?.verdict === 'noticed').length;
  return `${noticed} of ${rows.length} that were tried are noticed, of ${faults.length} in all.\n\n${head}${rows.join('')}`;
}
