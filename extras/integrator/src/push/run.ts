import { readFileSync, statSync } from 'node:fs';
import type { Context } from '../command.ts';
import { counted } from '../counted.ts';
import { type Service, ServiceError } from '../service.ts';
import { UsageError } from '../usage-error.ts';
import { chunksOf } from './chunks.ts';
import { countsOf, diffLines } from './diff.ts';
import type { Kind } from './fields.ts';
import { refusedName, requireOwn, writeRefused } from './refused-file.ts';
import { makesIds, needsKnown, questionsOf, readKnown, rewrittenIn } from './rewritten.ts';
import { type Refused, type Row, rowsOf } from './rows.ts';
import { type Outcome, openSender, type Sender } from './sending.ts';
import { type Reading, readAs, readTable, type Table } from './table.ts';

/** A file to push, and its options. */
export interface PushRequest {
  file: string;
  kind: Kind;
  /** What goes with the rows of each call: `mode`, `effective_at`. */
  said: Readonly<Record<string, unknown>>;
  reading: Reading;
  refusedFile: string | undefined;
  /** Only say what would become of it. */
  dryRun: boolean;
  /** Ask no question. */
  yes: boolean;
  /** Push identifiers that a spreadsheet may have rewritten. */
  acceptRewritten: boolean;
  /** The command that pushes another file in the same way. */
  again(file: string, table: Table): string;
}

/** Every row is pushed; the service or the person said no; rows were refused, and the others are pushed. */
const exit = { done: 0, notDone: 1, partly: 3 };
const mostShown = 40;

/** The option that pushes identifiers as they are. */
export const acceptFlag = '--accept-rewritten-ids';

/** Pushes a file; gives the exit code. @throws {UsageError} when it cannot be read. @throws {ServiceError} */
export async function push(context: Context, request: PushRequest): Promise<number> {
  const { terminal } = context;
  const { bytes, writtenMs } = read(request.file);
  const table = readTable(bytes, request.kind, request.reading);
  const { rows, refused } = rowsOf(table, request.kind);
  terminal.note(`${request.file}: ${readAs(table)}; ${counted(table.rows.length, 'row')}`);
  for (const line of columnsSaid(table)) terminal.note(line);
  const refusedFile = request.refusedFile ?? refusedName(request.file);
  if (!request.dryRun) requireOwn(refusedFile);
  const api = context.service();
  const most = await limitOf(api, request.kind);
  const chunks = chunksOf(rows, most.items);
  const sender = openSender(api, request.kind, request.said, writtenMs);
  const questions = request.acceptRewritten
    ? []
    : await questionsAbout(context, api, request.kind, rows, most);
  for (const line of questions.flatMap(({ lines }) => lines)) terminal.note(line);
  if (request.yes && questions.length > 0) {
    terminal.note(`nothing was pushed: correct the file, or push it as it is with ${acceptFlag}`);
    return exit.notDone;
  }
  if (request.dryRun || !request.yes) {
    const seen = await each(context, chunks, 'looked at', (chunk) => sender.preview(chunk));
    const all = { ...seen, refused: inOrder([...refused, ...seen.refused]) };
    terminal.say(shownOf(all, request.dryRun ? Number.POSITIVE_INFINITY : mostShown));
    if (request.dryRun && questions.length > 0) return exit.notDone;
    if (request.dryRun) return all.refused.length === 0 ? exit.done : exit.partly;
    for (const { question } of questions)
      if (!isYes(await terminal.ask(question))) {
        terminal.note('nothing was pushed');
        return exit.notDone;
      }
    const answer =
      seen.applied === 0 ? '' : await terminal.ask(`Push ${counted(seen.applied, 'row')}? [y/N]`);
    if (!isYes(answer)) {
      terminal.note('nothing was pushed');
      return exit.notDone;
    }
  }
  if (chunks.length > most.jobs)
    terminal.note(
      `this takes ${chunks.length} batch jobs, and ${most.jobs} are left of this hour: it waits for the next`,
    );
  const pushed = await pushAll(context, chunks, sender);
  return ended(context, request, table, {
    ...pushed,
    refused: inOrder([...refused, ...pushed.refused]),
    file: refusedFile,
  });
}

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer);

/** The questions about identifiers that a spreadsheet may have rewritten. @throws {ServiceError} */
async function questionsAbout(
  { terminal }: Context,
  api: Service,
  kind: Kind,
  rows: readonly Row[],
  { permissions }: { permissions: readonly string[] },
): Promise<ReturnType<typeof questionsOf>> {
  if (!makesIds(kind) || !needsKnown(rows)) return [];
  const known = await readKnown(api, permissions);
  if (known === undefined)
    terminal.note('leading zeros are not compared with the existing products: the key lacks products:read');
  return questionsOf(rewrittenIn(rows, known ?? new Map()), mostShown);
}

function read(file: string): { bytes: Buffer; writtenMs: number } {
  try {
    return { bytes: readFileSync(file), writtenMs: statSync(file).mtimeMs };
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Which column brings what, where that is not its name, and which bring nothing. */
function columnsSaid({ header, columns, unknown }: Table): string[] {
  const mapped = columns
    .filter(({ field, index }) => header[index]?.toLowerCase() !== field.name)
    .map(({ field, index }) => `${header[index]} = ${field.name}`);
  return [
    ...(mapped.length === 0 ? [] : [`columns: ${mapped.join(', ')}`]),
    ...(unknown.length === 0 ? [] : [`columns not taken: ${unknown.join(', ')}`]),
  ];
}

/** How many items a batch may hold, and how many batches are left. @throws {ServiceError} when the key may not push. */
async function limitOf(
  api: Service,
  kind: Kind,
): Promise<{ items: number; jobs: number; permissions: readonly string[] }> {
  const { data } = (await api.call({ path: '/v2/limits' })) as {
    data: {
      effective_permissions: string[];
      max_items_per_batch: number;
      batch_jobs_per_hour: { remaining: number };
    };
  };
  const missing = kind.permissions.filter((each) => !data.effective_permissions.includes(each));
  if (missing.length > 0) throw new ServiceError(`the key lacks the permission ${missing.join(' and ')}`);
  const { effective_permissions: permissions } = data;
  return { items: data.max_items_per_batch, jobs: data.batch_jobs_per_hour.remaining, permissions };
}

async function pushAll(context: Context, chunks: readonly Row[][], sender: Sender): Promise<Outcome> {
  try {
    return await each(context, chunks, 'pushed', (chunk) => sender.push(chunk));
  } catch (error) {
    if (error instanceof ServiceError)
      context.terminal.note(
        'not all was pushed: give the same command again, and it goes on; nothing is done twice',
      );
    throw error;
  }
}

/** Does something with each part, one after the other, and shows how far it is. */
async function each(
  { terminal }: Context,
  chunks: readonly Row[][],
  what: string,
  work: (chunk: readonly Row[]) => Promise<Outcome>,
): Promise<Outcome> {
  const all: Outcome = { changes: [], refused: [], applied: 0, before: 0 };
  const total = chunks.flat().length;
  let rows = 0;
  try {
    for (const chunk of chunks) {
      terminal.progress(`${rows} of ${total} rows ${what}`);
      const outcome = await work(chunk);
      rows += chunk.length;
      all.changes.push(...outcome.changes);
      all.refused.push(...outcome.refused);
      all.applied += outcome.applied;
      all.before += outcome.before;
    }
  } finally {
    terminal.progressEnds();
  }
  return all;
}

const inOrder = (refused: readonly Refused[]): Refused[] =>
  refused.toSorted((one, other) => one.line - other.line);

const refusals = (refused: readonly Refused[], most: number): string[] =>
  cut(
    refused.map(({ line, reason }) => `refused  line ${line}  ${reason}`),
    most,
  );

function shownOf(all: Outcome, most: number): string[] {
  return [...cut(diffLines(all.changes), most), ...refusals(all.refused, most), countsOf(all)];
}

const cut = (lines: readonly string[], most: number): string[] =>
  lines.length <= most
    ? [...lines]
    : [...lines.slice(0, most), `… and ${lines.length - most} more: --dry-run shows all`];

/** Writes what was refused, and says what was done. */
function ended(
  { terminal }: Context,
  { again }: PushRequest,
  table: Table,
  { refused, applied, before, file }: Outcome & { file: string },
): number {
  const counts = [`${counted(applied, 'row')} pushed`];
  if (before > 0)
    counts.push(`${before} of them before, from this same file: nothing was done again for these`);
  if (refused.length === 0) {
    terminal.say(counts.join(', '));
    return exit.done;
  }
  writeRefused(file, table, refused);
  terminal.say([`${counts.join(', ')}; ${refused.length} refused: ${file}`]);
  for (const line of refusals(refused, mostShown)) terminal.note(line);
  terminal.note(`correct ${file}, then push it: ${again(file, table)}`);
  return exit.partly;
}
