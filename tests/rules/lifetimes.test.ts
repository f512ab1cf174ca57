import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  attemptMs,
  exporting,
  heartbeats,
  holdUps,
  publishing,
  readSettings,
  repositoryRoot,
  stopping,
  stoppingIn,
  wardenLooks,
  workLimits,
} from '@comanda/db';
import { expect, test } from 'vitest';
import { defaultBounds } from '../../packages/api/src/http/bounds.ts';

const { api, worker, health } = workLimits;
const { silenceMs } = defaultBounds;

/** The requirement, and the two lengths of time of which the first is the shorter. */
const relations: readonly [sentence: string, less: number, more: number][] = [
  [
    'a task that is asked to end has time to, before its worker stops',
    stopping.taskMs,
    stopping.deliveriesMs,
  ],
  ['an attempt in flight is recorded', attemptMs, stopping.deliveriesMs],
  ['a worker closes its pools after its deliveries', stopping.deliveriesMs, stopping.processMs],
  ['an API process closes its pools after its requests', stopping.requestsMs, stopping.processMs],
  ['a request in flight is answered, however long its statement', api.statementMs, stopping.requestsMs],
  ['a process ends itself before the first one kills it', stopping.processMs, stopping.siblingsMs],
  ['the first process ends before the supervisor kills it', stopping.siblingsMs, stopping.childMs],
  ['the database has two seconds to stop', stopping.childMs + 2_000, stopping.allMs],
  ['one beat may be lost', 2 * heartbeats.everyMs, heartbeats.gapMs],
  ['a process that may have been away judges no other', heartbeats.gapMs, heartbeats.goneMs],
  [
    'the silence of a worker is reported before its work goes to others',
    heartbeats.goneMs,
    heartbeats.deadMs,
  ],
  ['a frozen worker holds no lock when it is dead', worker.idleInTransactionMs, heartbeats.deadMs],
  [
    'a process that may have been away claims nothing before others take its claims',
    heartbeats.gapMs,
    heartbeats.deadMs,
  ],
  [
    'a frozen relay is rid of its location before the rest of its worker',
    publishing.idleInTransactionMs,
    worker.idleInTransactionMs,
  ],
  ['a locked row is distinguished from slow publishing', publishing.lockMs, publishing.statementMs],
  ['a relay whose statement is ended hears of it', publishing.statementMs, publishing.abandonMs],
  ...Object.entries(workLimits).map(([kind, limits]): [string, number, number] => [
    `${kind}: a wait for a lock is distinguished from slow work`,
    limits.lockMs,
    limits.statementMs,
  ]),
  ['health answers while requests wait for a connection', health.waitMs, api.waitMs],
  ['a migration that waits for a lock causes no refusal', holdUps.migrationLockMs, holdUps.stuckMs],
  ['a new caller is refused while the first still waits for its lock', holdUps.stuckMs, api.lockMs],
  ['a call waits less for its place than it may work', holdUps.waitMs, api.statementMs],
  [
    'a session of a person that holds up an order is ended before the order gives up',
    Math.max(wardenLooks.waitMs, wardenLooks.restMs) + wardenLooks.everyMs,
    holdUps.rowMs,
  ],
  ['we cut off a reader, not the server', exporting.stalledMs, exporting.idleInTransactionMs],
  ['a stalled reader is distinguished from a dead connection', exporting.stalledMs, silenceMs],
  ['a slow answer is no silence', api.statementMs, silenceMs],
];

test('the shortest drain lets a request in flight end, and its parts keep their order', () => {
  expect(() => readSettings({ DRAIN_SECONDS: '15' })).toThrow(/DRAIN_SECONDS/);
  const { drainSeconds } = readSettings({ DRAIN_SECONDS: '16' });
  const { taskMs, requestsMs, deliveriesMs, processMs, siblingsMs, childMs, allMs } =
    stoppingIn(drainSeconds);
  const inOrder = [taskMs, requestsMs, deliveriesMs, processMs, siblingsMs, childMs, allMs];
  expect(inOrder).toEqual([...new Set(inOrder)].toSorted((one, other) => one - other));
  expect(requestsMs).toBeGreaterThan(api.statementMs);
});

test.each(relations)('%s: %i ms is less than %i', (_, less, more) => {
  expect(less).toBeLessThan(more);
});

test('no attempt may be set to take longer than a stop waits for it', () => {
  const set = (ms: number) => readSettings({ WEBHOOK_TIMEOUT_MS: String(ms) }).webhookTimeoutMs;
  expect(set(attemptMs)).toBe(attemptMs);
  expect(() => set(attemptMs + 1)).toThrow(/WEBHOOK_TIMEOUT_MS/);
});

test('the database counts a process as gone when the code does', () => {
  const sql = readFileSync(join(repositoryRoot, 'prisma/sql/limits.sql'), 'utf8');
  expect(sql).toContain(`interval '${heartbeats.goneMs / 1_000} seconds'`);
});
