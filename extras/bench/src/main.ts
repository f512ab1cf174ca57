import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { repositoryRoot } from '@comanda/db';
import { note, say } from '@comanda/db/terminal';
import { chart } from './chart.ts';
import { type Figure, goalText, isMet, type Row, rowsOf, shown } from './figure.ts';
import type { Part } from './part.ts';
import { parts } from './parts.ts';
import { endAll } from './processes.ts';
import { machine, markdown, type Report } from './report.ts';
import { openSubject, type Subject } from './subject.ts';

/**
 * `npm run bench [-- <part> …]`: runs the parts and prints every figure against its goal. A run of all parts, or one with `--keep`, is
 * kept in the folder `results`. `--against <folder>` measures another checkout, which is built, in turns with this one.
 * `--check` only proves on tiny data that everything runs. `signal` ends it early, with everything it started.
 * Returns the exit code: 1 when a part is unknown or could not be run, or when requests failed.
 */
export async function main(words: readonly string[], signal: AbortSignal): Promise<number> {
  const { values, positionals: names } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { check: { type: 'boolean' }, keep: { type: 'boolean' }, against: { type: 'string' } },
  });
  const { check: small = false, keep: kept = false, against } = values;
  const unknown = names.filter((name) => !parts.some((part) => part.name === name));
  if (unknown.length > 0) {
    note(`unknown: ${unknown.join(', ')}; there are:`);
    for (const { name, summary } of parts) note(`  ${name}: ${summary}`);
    return 1;
  }
  const chosen = names.length > 0 ? parts.filter(({ name }) => names.includes(name)) : parts;
  const roots = [repositoryRoot, ...(against === undefined ? [] : [resolve(against)])];
  // A part that waits for what it has started fails then.
  signal.addEventListener('abort', endAll);
  const rows: Row[] = [];
  let broken = 0;
  let postgres = '';
  // Each part has servers of its own, so that none meets what another left; a check has them for all.
  const shared = small ? await openSubjects(roots) : undefined;
  for (const part of chosen) {
    note(`${part.name}: ${part.summary}`);
    const subjects = shared ?? (await openSubjects(roots));
    try {
      postgres ||= await versionOf(subjects);
      const found = await measure(part, subjects, small);
      for (const row of found) note(`  ${lineOf(row)}`);
      rows.push(...found);
    } catch (error) {
      broken += 1;
      note(`  ${part.name} could not be run: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      if (shared === undefined) await close(subjects);
      else for (const subject of subjects) await subject.stopProcesses();
    }
    if (signal.aborted) break;
  }
  if (shared !== undefined) await close(shared);
  if (signal.aborted) return 130;
  const report: Report = {
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    node: process.versions.node,
    postgres,
    ...(against !== undefined && { against: await commitOf(resolve(against)) }),
    rows,
  };
  say(['', ...markdown(report, 'chart.svg').split('\n')]);
  const whole = names.length === 0 && against === undefined;
  if (broken === 0 && !small && (kept || whole)) keep(report, names);
  const failed = rows.filter((row) => row.failed !== undefined);
  for (const row of failed) note(`${row.work}: ${row.failed}`);
  return broken + failed.length === 0 ? 0 : 1;
}

/** Takes the figures of a part, at each subject in turn. */
async function measure(part: Part, subjects: readonly Subject[], small: boolean): Promise<Row[]> {
  const opened: { round(): Promise<Figure[]>; found: Figure[][] }[] = [];
  for (const subject of subjects)
    opened.push({
      round: await part.open({ subject, small, log: (line) => note(`  ${line}`) }),
      found: [],
    });
  const rounds = small ? 1 : part.rounds;
  for (let round = 1; round <= rounds; round += 1) {
    if (rounds > 1) note(`  round ${round} of ${rounds}`);
    for (const side of opened) {
      const figures = await side.round();
      if (round > 1 || rounds === 1) side.found.push(figures);
    }
  }
  return rowsOf(part.name, opened[0]?.found ?? [], opened[1]?.found);
}

async function openSubjects(roots: readonly string[]): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const root of roots) subjects.push(await openSubject(root));
  return subjects;
}

async function close(subjects: readonly Subject[]): Promise<void> {
  for (const subject of subjects) await subject.close();
}

function lineOf(row: Row): string {
  const { work, value, unit, against } = row;
  const seen = `${work}: ${shown(value, unit)}`;
  if (against !== undefined)
    return `${seen}, against ${shown(against, unit)}: ${(value / against).toFixed(2)}`;
  return row.goal === undefined ? seen : `${seen} (goal ${goalText(row)}) ${isMet(row) ? 'met' : 'NOT met'}`;
}

async function versionOf([subject]: readonly Subject[]): Promise<string> {
  const rows = await subject?.database.pool.query<{ version: string }>(
    "select split_part(current_setting('server_version'), ' ', 1) as version",
  );
  return rows?.rows[0]?.version ?? '';
}

/** The commit of a checkout, without what was edited there. */
async function commitOf(root: string): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['-C', root, 'rev-parse', '--short', 'HEAD']);
  return `commit ${stdout.trim()}`;
}

// Parts that were run by name are kept next to a whole run, under their names.
function keep(report: Report, names: readonly string[]): void {
  const folder = join(repositoryRoot, 'extras/bench/results', report.date);
  const prefix = names.length === 0 ? '' : `${names.join('-')}.`;
  const page = names.length === 0 ? 'README.md' : `${names.join('-')}.md`;
  const picture = `${prefix}chart.svg`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, page), `${markdown(report, picture)}\n`);
  writeFileSync(join(folder, `${prefix}figures.json`), `${JSON.stringify(report, null, 2)}\n`);
  if (report.against === undefined)
    writeFileSync(
      join(folder, picture),
      `${chart(report.rows, `Figures against their goals, ${report.date}`)}\n`,
    );
  note(`kept in extras/bench/results/${report.date}/${page}`);
}
