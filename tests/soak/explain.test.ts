import { expect, test } from 'vitest';
import { explainRepeats, explainTroubles } from './explain.ts';
import { unexplainedVisits } from './neighbours.ts';

// A kill from 100 s to 110 s.
const kills = [{ at: 100_000, until: 110_000, consequences: ['503'] as const }];

test.each([
  ['afterFailure', 'after an answer that was not a success', 50_000, 500, 2, 52_000],
  ['afterFailure', 'after no answer', 50_000, undefined, 2, 52_000],
  ['afterKill', 'as the attempt that a kill interrupted', 99_500, 204, 1, 104_000],
  ['afterKill', 'as an attempt that could not be recorded during a kill', 105_000, 204, 1, 111_000],
  ['unexplained', 'although it was taken and nothing was killed', 50_000, 204, 1, 52_000],
  ['unexplained', 'although it was taken long before the kill', 90_000, 204, 1, 101_000],
  ['unexplained', 'although it was taken after the kill had ended', 111_000, 204, 1, 112_000],
  ['unexplained', 'as the same attempt without a kill', 50_000, 500, 1, 52_000],
] as const)('an arrival is %s when it comes again %s', (reason, _, firstAt, status, attempt, at) => {
  const first = { attempt: 1, at: firstAt, ...(status !== undefined && { status }) };
  const none = { afterFailure: 0, afterKill: 0, unexplained: 0 };
  const repeats = explainRepeats([{ arrivals: [{ attempt, at, status: 204 }, first] }], kills);
  expect(repeats).toEqual({ ...none, [reason]: 1 });
});

test.each([
  ['explained', 'lasted while it was away', '503', 101_000, 102_000],
  ['explained', 'began during the call', '503', 99_000, 101_000],
  ['unexplained', 'came later', '503', 98_000, 99_000],
  ['unexplained', 'had ended', '503', 111_000, 112_000],
  ['unexplained', 'may not cut connections', 'no answer (ECONNRESET)', 101_000, 102_000],
  ['unexplained', 'may not cause an error of the service', '500', 101_000, 102_000],
] as const)('what a caller met is %s by a kill that %s', (reason, _, what, askedAt, heardAt) => {
  const rows = explainTroubles([{ what, askedAt, heardAt }], kills);
  expect(rows).toEqual([{ what, explained: 0, unexplained: 0, [reason]: 1 }]);
});

test.each([
  [[], 'the kill began while it was there', 95_000, 101_000],
  [[], 'it came while what was killed was away', 105_000, 120_000],
  [['a neighbor: refused'], 'the kill came later', 80_000, 99_000],
  [['a neighbor: refused'], 'the kill had ended', 111_000, 120_000],
])("a bad neighbor's visit that failed is a complaint (%j) when %s", (complaints, _, at, until) => {
  const visit = { id: 'neighbor', name: 'a neighbor', at, until };
  expect(unexplainedVisits([{ ...visit, failed: 'refused' }], kills)).toEqual(complaints);
  expect(unexplainedVisits([visit], kills)).toEqual([]);
});
