import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../packages/db/src/root.ts';
import { chart } from './chart.ts';
import { plans } from './lab/main.ts';
import type { Effort } from './load.ts';
import { parts } from './parts.ts';
import { endAll } from './processes.ts';
import { machine, markdown, type Report } from './report.ts';
import type { Row } from './result.ts';
import { openSetup, type Setup } from './setup.ts';

const full: Effort = { connections: 32, seconds: 6, repeats: 5 };
const small: Effort = { connections: 4, seconds: 1, repeats: 1 };

/**
 * `npm run bench [-- <part> …]`: runs the parts and prints every figure against its goal; a run of all parts, or with
 * `--keep`, is kept in bench/results/<date>. `--check` (`npm run bench -- --check`) only proves on tiny data that everything
 * runs. `signal` ends it early, with everything it started. `plans` is no part, but a comparison of its own (lab/).
 * Returns the exit code: 1 when a part could not be run or is unknown, or when requests failed.
 */
export async function main(words: readonly string[], signal: AbortSignal): Promise<number> {
  if (words[0] === 'plans') return plans(words.slice(1), log);
  const check = words.includes('--check');
  const names = words.filter((word) => word !== '--check' && word !== '--keep');
  const unknown = names.filter((name) => !parts.some((part) => part.name === name));
  if (unknown.length > 0) {
    log(
      `unknown: ${unknown.join(', ')}; there are:\n${parts.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n')}`,
    );
    return 1;
  }
  const chosen =
    names.length > 0
      ? parts.filter(({ name }) => names.includes(name))
      : parts.filter(({ onlyByName }) => check || onlyByName !== true);
  const effort = check ? small : full;
  const rows: Row[] = [];
  let broken = 0;
  let postgres = '';
  // Each part has a server of its own, so that none meets what another left; a check has one for all.
  const shared = check ? await openSetup() : undefined;
  // A part that waits for what it has started fails then.
  signal.addEventListener('abort', endAll);
  for (const part of chosen) {
    log(`${part.name}: ${part.summary}`);
    const lack = part.lacks?.(check);
    if (lack !== undefined) {
      log(`  not run: ${lack}`);
      if (names.length > 0) broken += 1;
      continue;
    }
    const setup = shared ?? (await openSetup());
    try {
      postgres = await postgresVersion(setup);
      const found = await part.run({ setup, effort, small: check, log: (line) => log(`  ${line}`) });
      for (const row of found)
        log(`  ${row.work}: ${row.figure} (goal ${row.goal}) ${row.met ? 'met' : 'NOT met'}`);
      rows.push(...found);
    } catch (error) {
      broken += 1;
      log(`  ${part.name} could not be run: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      if (shared === undefined) await setup.close();
    }
    if (signal.aborted) break;
  }
  await shared?.close();
  if (signal.aborted) return 130;
  const report: Report = {
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    node: process.versions.node,
    postgres,
    effort: `${effort.connections} connections, medians of ${effort.repeats} alternating runs of ${effort.seconds} s.`,
    rows,
  };
  process.stdout.write(`\n${markdown(report)}\n`);
  if (broken === 0 && (words.includes('--keep') || (!check && names.length === 0))) keep(report, names);
  const failed = rows.filter(({ sides }) => Object.values(sides ?? {}).some(({ failures }) => failures > 0));
  for (const { work } of failed) log(`requests failed: ${work}`);
  return broken + failed.length === 0 ? 0 : 1;
}

async function postgresVersion({ comanda }: Setup): Promise<string> {
  const { rows } = await comanda.pool.query<{ version: string }>(
    "select split_part(current_setting('server_version'), ' ', 1) as version",
  );
  return rows[0]?.version ?? '';
}

// Parts that were run by name are listed after the whole run, under their names.
function keep(report: Report, names: readonly string[]): void {
  const folder = join(repositoryRoot, 'bench', 'results', report.date);
  const [page, figures, picture] =
    names.length === 0
      ? ['README', 'figures', 'chart']
      : [names.join('-'), `${names.join('-')}.figures`, `${names.join('-')}.chart`];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${page}.md`), `${markdown(report, `${picture}.svg`)}\n`);
  writeFileSync(join(folder, `${figures}.json`), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(
    join(folder, `${picture}.svg`),
    `${chart(report.rows, `Figures against their goals, ${report.date}`)}\n`,
  );
  log(`kept in bench/results/${report.date}/${page}.md`);
}

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}
