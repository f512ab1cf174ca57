import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import type { Entry, Log } from '../../packages/worker/src/certification/log.ts';
import type { Call } from '../../packages/worker/src/certification/statements.ts';

// The logs of certified programs: an entry on each line, with what the checks read. A line without `check` or `newest` has that of the
// line before. Ids are `<1>`, `<2>` …, and `<1>…<9>` is all from the first to the last. Times are milliseconds from the first call on.

/** A log, and why a check failed in the run. */
export interface RecordedLog {
  log: Log;
  reason?: string;
}

const folder = join(repositoryRoot, 'tests/certification/logs');
const fileOf = (name: string) => join(folder, `${name}.jsonl`);

/** The names of the logs that are recorded. */
export const recordedNames = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => file.replace(/\.jsonl$/, ''));

/** Writes a log. */
export function writeLog(name: string, { log, reason }: RecordedLog): void {
  const calls = log.flatMap((entry) => ('calls' in entry ? entry.calls : []));
  const startMs = calls[0]?.beganMs ?? 0;
  // Ids that are only in answers are those of other entries, which no check looks for.
  const named = new Set(JSON.stringify(log, (key, value) => (key === 'answered' ? [] : value)).match(uuid));
  const shorten = (key: string, value: unknown): unknown => {
    if (key === 'at' || key === 'requestId' || value === null || value === false) return undefined;
    if (key === 'answered' && Array.isArray(value)) return value.filter((id) => named.has(id));
    return key.endsWith('Ms') ? Math.round(Number(value) - startMs) : value;
  };
  const lines = log.map(({ check, newest, ...rest }, at) => ({
    ...(check !== log[at - 1]?.check && { check }),
    ...(newest !== log[at - 1]?.newest && { newest }),
    ...rest,
  }));
  const text = calls.reduce(
    (all, { number, requestId }) => all.replaceAll(requestId, `request ${number}`),
    [...lines, ...(reason === undefined ? [] : [{ reason }])]
      .map((line) => JSON.stringify(line, shorten).replaceAll(',"answered":[]', ''))
      .join('\n'),
  );
  mkdirSync(dirname(fileOf(name)), { recursive: true });
  writeFileSync(fileOf(name), `${withRanges(withShortIds(text))}\n`);
}

/** Reads a log. */
export function readLog(name: string): RecordedLog {
  const lines: (Entry | { reason: string })[] = withoutRanges(readFileSync(fileOf(name), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line, complete));
  const log: Entry[] = [];
  for (const line of lines) {
    const { check, newest } = log.at(-1) ?? {};
    if ('step' in line) log.push(Object.assign({ check, newest }, line, { at: '' }));
  }
  return { log, ...lines.find((line) => 'reason' in line) };
}

/** Gives the lists and answers of a log the fields that `shorten` left out. */
function complete(key: string, value: unknown): unknown {
  if (key === 'calls' && Array.isArray(value))
    return value.map((call: Call) => ({
      ...{ idempotencyKey: null, fault: null, status: null, replayed: false, answered: [], endedMs: null },
      ...{ at: '', requestId: `request ${call.number}` },
      ...call,
    }));
  return key === 'answer' ? Object.assign({ ok: false }, value) : value;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function withShortIds(text: string): string {
  const names = new Map<string, string>();
  return text.replace(uuid, (id) => {
    const name = names.get(id) ?? `<${names.size + 1}>`;
    names.set(id, name);
    return name;
  });
}

const numberOf = (id: string): number => Number(id.slice(1, -1));

/** Writes each list of ids in order, and a run of them as its first and its last. */
const withRanges = (text: string): string =>
  text.replace(/\["<\d+>"(?:,"<\d+>")+\]/g, (list) => {
    const ids = (JSON.parse(list) as string[]).map(numberOf).toSorted((one, other) => one - other);
    const ranges = ids
      .filter((id, at) => id - 1 !== ids[at - 1])
      .map((start) => [start, ids.find((id, at) => id >= start && id + 1 !== ids[at + 1]) ?? start]);
    return JSON.stringify(
      ranges.map(([start, end]) => (start === end ? `<${start}>` : `<${start}>…<${end}>`)),
    );
  });

const withoutRanges = (text: string): string =>
  text.replace(/"<(\d+)>…<(\d+)>"/g, (_, start: string, end: string) =>
    Array.from({ length: Number(end) - Number(start) + 1 }, (_each, at) => `"<${Number(start) + at}>"`).join(
      ',',
    ),
  );
