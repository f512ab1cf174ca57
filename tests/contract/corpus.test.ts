import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { operationsOf } from '../../packages/api/src/call/operations.ts';
import { appRouter } from '../../packages/api/src/router.ts';
import { useApi } from '../support/api.ts';
import { batchAnswers, type CorpusAnswer, corpusEntrances, corpusOf, oddAnswers } from './corpus.ts';
import { openKitchen } from './kitchen.ts';

const api = useApi();
const operations = operationsOf(appRouter);

/** The recorded answers, a line each. Where the file is missing it is written: delete it to record answers that are to change. */
const file = join(import.meta.dirname, 'corpus.json');
const isKnown = existsSync(file);
const recorded: Record<string, string[]> = isKnown ? JSON.parse(readFileSync(file, 'utf8')) : {};

afterAll(() => {
  const sorted = Object.fromEntries(Object.entries(recorded).sort());
  if (!isKnown) writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
});

test('the answers are recorded', () => {
  expect(isKnown, `${file} was missing and is written now: read what changed, and run again`).toBe(true);
});

// One way in ten to call an operation.
const entrances = corpusEntrances(operations).filter(({ name }, index) =>
  isKnown ? name in recorded : index % 10 === 3,
);

test.each(entrances)('every answer is as it was recorded: $name', async (entrance) => {
  const answers = await corpusOf(entrance, await openKitchen(api));
  compare(entrance.name, answers);
  // Above 64 KiB another thread answers.
  const byName = new Map(answers);
  expect(byName.get('repeated as a large body')).toEqual(byName.get('repeated'));
  expect(byName.get('a large body that is refused')).toEqual(byName.get('U+0000'));
});

test('batches of tRPC are answered as they were', async () => {
  const named = new Set(recorded.batches?.map((line) => line.split(' ')[0] ?? ''));
  const batches = isKnown
    ? [...named].map((names) => operations.filter(({ name }) => names.split(',').includes(name)))
    : someBatches();
  compare('batches', await batchAnswers(() => openKitchen(api), batches));
});

const someBatches = (): (typeof operations)[] =>
  (['query', 'mutation'] as const).flatMap((kind) => {
    const ofKind = operations.filter((operation) => operation.kind === kind);
    return ofKind.flatMap((_, index) => (index % 10 === 3 ? [ofKind.slice(index, index + 3)] : []));
  });

test('odd HTTP is answered as it was', async () => {
  compare('odd HTTP', await oddAnswers(await openKitchen(api)));
});

/** A field or an operation that came later is not recorded, and need not be. */
function compare(name: string, answers: readonly [string, CorpusAnswer][]): void {
  const lines = answers.map(([about, answer]) => `${about}: ${lineOf(answer)}`);
  const isRecorded = (line: string) => recorded[name]?.some((other) => aboutOf(other) === aboutOf(line));
  if (isKnown) expect(lines.filter(isRecorded)).toEqual(recorded[name]);
  else recorded[name] = lines;
}

const aboutOf = (line: string): string | undefined => /^(.*?): \d{3} \|/.exec(line)?.[1];

/** The headers that every answer has. */
const common = new Set([
  'cache-control: no-store',
  "content-security-policy: default-src 'none'; frame-ancestors 'none'",
  'content-type: application/json; charset=utf-8',
  'referrer-policy: no-referrer',
  'x-content-type-options: nosniff',
  'x-ratelimit-limit: 100000',
  'x-request-id: <request>',
]);

/** An answer in a line: its status, the common headers that it lacks, its own headers, and its body, or the hash of a long one. */
function lineOf({ status, headers, body }: CorpusAnswer): string {
  const all = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const missing = [...common].filter((each) => !all.includes(each)).map((each) => `without ${each}`);
  const own = all.filter((each) => !common.has(each));
  const text = body.length < 300 ? body : createHash('sha256').update(body).digest('hex');
  return [status, ...missing, ...own, text].join(' | ');
}
