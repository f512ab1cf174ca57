import { openSetup } from '../setup.ts';
import { shapes, shrink } from './fill.ts';
import { comparePlans, type Finding } from './plans.ts';
import { plansTable } from './table.ts';

/**
 * `npm run bench -- plans [url …]`: compares ways to plan on each server that a superuser's connection string names, or on
 * the embedded one, and prints a table, or every finding with `--json`; `--check` on tiny data. Takes half an hour a server. Returns the exit code.
 */
export async function plans(words: readonly string[], log: (line: string) => void): Promise<number> {
  const urls = words.filter((word) => !word.startsWith('--'));
  const setup = urls.length === 0 ? await openSetup({ autovacuum: 'off' }) : undefined;
  const findings: Finding[] = [];
  try {
    for (const url of setup === undefined ? urls : [setup.comandaUrl])
      for (const shape of words.includes('--check') ? shapes.map(shrink) : shapes)
        for (const byId of [false, true]) {
          log(`${shape.name}${byId ? ', by id' : ''}`);
          findings.push(...(await comparePlans(url, shape, byId)));
        }
  } finally {
    await setup?.close();
  }
  process.stdout.write(
    words.includes('--json') ? `${JSON.stringify(findings, null, 1)}\n` : `${plansTable(findings)}\n`,
  );
  return 0;
}
