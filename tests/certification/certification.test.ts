import { expect, test } from 'vitest';
import {
  type CheckName,
  checkNames,
  doesOf,
} from '../../packages/api/src/resources/certifications/schema.ts';
import { checks } from '../../packages/worker/src/certification/checks.ts';
import { judge, verdictOf } from '../../packages/worker/src/certification/judge.ts';
import type { Log } from '../../packages/worker/src/certification/log.ts';
import type { Call } from '../../packages/worker/src/certification/statements.ts';
import { words } from '../support/words.ts';
import { readLog, recordedNames } from './logs.ts';
import { cases } from './mutants.ts';

// A certification is judged by its log alone. Each log here is of a real program: one of examples/certified, or a mutant of it.

const doesIn = ({ start: { role = 'kiosk', ...given } }: (typeof cases)[number]) => ({
  ...doesOf[role],
  ...given,
});

function judged(name: string) {
  const played = cases.find((each) => each.name === name);
  if (played === undefined) throw new Error(`no program ${name}`);
  const { log, reason } = readLog(name);
  const does = doesIn(played);
  const { report, next } = judge(does, log);
  const of = (check: CheckName) => report.find((each) => each.check === check);
  return { does, log, reason, report, next, of, verdict: verdictOf(report, does) };
}

/** The checks of this status. */
const those = (status: string, { report }: ReturnType<typeof judged>): CheckName[] =>
  report.filter((each) => each.status === status).map(({ check }) => check);

test('each program and each mutant has one log', () => {
  expect(recordedNames().toSorted()).toEqual(cases.map(({ name }) => name).toSorted());
});

test('every check has at least three mutants of one program', () => {
  const mutants = (role: string, check: CheckName) =>
    cases.filter(({ name, fails }) => name.startsWith(`${role}/`) && fails === check).length;
  const most = (check: CheckName) => Math.max(...Object.keys(doesOf).map((role) => mutants(role, check)));
  expect(checkNames.filter((check) => most(check) < 3)).toEqual([]);
});

test.each(cases.flatMap(({ name, fails }) => (fails === undefined ? [] : [[name, fails] as const])))(
  '%s fails %s alone, for the reason of its run',
  (name, fails) => {
    const mutant = judged(name);
    expect(mutant.next).toBeUndefined();
    expect(those('failed', mutant), JSON.stringify(mutant.report, null, 1)).toEqual([fails]);
    expect(mutant.reason).toMatch(/\.$/);
    expect(mutant.of(fails)?.reason).toBe(mutant.reason);
    for (const check of those('not_played', mutant)) expect(checks[check].leansOn).not.toEqual([]);
  },
);

test.each(cases.flatMap(({ name, fails }) => (fails === undefined ? [name] : [])))(
  '%s passes, and its report shows what was done and seen',
  (name) => {
    const good = judged(name);
    const shown = JSON.stringify(good.report, null, 1);
    expect(good.next, shown).toBeUndefined();
    expect([...those('passed', good), ...those('not_applicable', good)].length, shown).toBe(
      checkNames.length,
    );
    for (const { check, status, done, seen } of good.report)
      if (status === 'passed') expect([seen.length, done.length], check).not.toContain(0);
  },
);

/** An endpoint with the wrong subscription. */
const other = { url: '', events: ['turn.open'] };

// Faults that no mutant has: the good log until one step, the last of its kind in the check, with other fields of the step or of its call.
test.each<[role: string, check: CheckName, kind: string, fields: object, reason: string]>([
  ['kiosk', 'catalog_pulled', 'find_endpoint', { endpoint: other }, 'not subscribed to catalog.updated'],
  ['kiosk', 'catalog_pulled', 'cause', { events: [] }, 'no product under a category'],
  ['kiosk', 'catalog_pulled', 'catalog.get', { status: 429 }, 'nothing read it within 30 s'],
  ['kiosk', 'waits_as_told', 'orders.create', { status: 429 }, 'At the end it was refused with 429.'],
  ['kiosk', 'every_page', 'products.list', { status: 500 }, '0 of 450'],
  ['kiosk', 'gone_and_cancelled', 'orders.create', { status: 422 }, 'The order was refused with 422'],
  ['kiosk', 'gone_and_cancelled', 'cancel_order', { order: undefined }, 'had ended before'],
  [
    'kiosk',
    'gone_and_cancelled',
    'products.get',
    { operation: 'orders.list' },
    'nothing looked what is left',
  ],
  [
    'kiosk',
    'gone_and_cancelled',
    'orders.get',
    { operation: 'payments.list' },
    'nothing read it within 30 s',
  ],
  ['erp', 'statuses_sent', 'cause', { events: [] }, 'nothing that can be ordered'],
  ['erp', 'failed_items_read', 'syncJobs.startProducts', { status: 422 }, 'The sync was refused with 422'],
  ['erp', 'failed_items_read', 'syncJobs.get', { status: 500 }, 'was not read after its end'],
  ['erp', 'failed_items_read', 'syncJobs.get', { endedMs: 0 }, 'was not read after its end'],
  [
    'listener',
    'caught_up',
    'find_endpoint',
    { endpoint: other },
    'to one of catalog.updated, product.updated',
  ],
])('the good %s fails %s when %s has %o', (role, check, kind, fields, reason) => {
  const { does, log } = judged(`${role}/good`);
  const isOfKind = ({ operation }: Call) => operation === kind;
  const at = log.findLastIndex(
    (each) =>
      each.check === check && (each.step.name === kind || ('calls' in each && each.calls.some(isOfKind))),
  );
  const found = log[at];
  if (found === undefined) throw new Error(`no ${kind} in ${check}`);
  const changed =
    'calls' in found
      ? { ...found, calls: found.calls.map((call) => (isOfKind(call) ? { ...call, ...fields } : call)) }
      : Object.assign({}, found, fields);
  const { report } = judge(does, [...log.slice(0, at), changed]);
  const failed = { status: 'failed', reason: expect.stringContaining(reason) };
  expect(report.find((each) => each.check === check)).toMatchObject(failed);
});

test('the verdict names the features that an integration lacks, and the report the checks that do not apply', () => {
  const [erp, kiosk, listener] = ['erp/good', 'kiosk/good', 'listener/good'].map(judged);
  expect([erp?.verdict, kiosk?.verdict]).toEqual([
    '8 of 8 checks passed. 4 do not apply: it does not read the catalog, nor read lists, nor place orders.',
    '9 of 9 checks passed. 3 do not apply: it does not take orders, nor bring the catalog.',
  ]);
  expect(listener?.verdict).toMatch(/^3 of 3 checks passed\. 9 do not apply: /);
  expect(erp && those('not_applicable', erp)).toEqual(
    words('catalog_pulled order_repeated every_page gone_and_cancelled'),
  );
  expect(those('not_applicable', judged('kiosk/no-orders'))).toEqual(
    words('order_repeated statuses_sent refused_move_ends failed_items_read gone_and_cancelled'),
  );
});

test('a check without its feature does not apply, and leaves the others as they are', () => {
  const { log, does } = judged('erp/good');
  const { report } = judge(
    { ...does, brings_catalog: false },
    log.filter(({ check }) => check !== 'failed_items_read'),
  );
  const left = report.filter(({ status }) => status !== 'passed' && status !== 'not_applicable');
  expect(left).toEqual([]);
  expect(report.find(({ check }) => check === 'failed_items_read')).toMatchObject({
    status: 'not_applicable',
    reason: 'It does not bring the catalog.',
  });
});

test('both waits of one that does not wait are judged separately', () => {
  const early = (status: number) =>
    `After ${status} it asked again after [0-9.]+ s, though Retry-After said 3\\.`;
  expect(judged('kiosk/waits_as_told-it-asks-again-at-once').of('waits_as_told')?.reason).toMatch(
    new RegExp(`^${early(429)} ${early(503)}$`),
  );
});

test('the answer of the endpoint is next to the event that it received', () => {
  const found = judged('kiosk/good').of('once_each');
  const sent = found?.done.flatMap((text) => /^sent (\S+ \S+):/.exec(text)?.[1] ?? []);
  const answered = found?.seen.flatMap(
    ({ text }) => /^the endpoint answered (\S+ \S+) with/.exec(text)?.[1] ?? [],
  );
  expect(sent).toHaveLength(3);
  expect(answered).toEqual(sent);
});

test('an address where no program listens is reported first, and the checks that depend on it are not played', () => {
  const { report } = judged('listener/endpoint_reached-no-program-listens-at-its-address');
  expect(report[0]).toMatchObject({
    check: 'endpoint_reached',
    reason: expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:9\/hook: connection refused\. /),
  });
  const played = report.filter(({ status }) => status !== 'not_applicable').slice(1);
  const reason = 'Not played, since endpoint_reached did not pass.';
  expect(played).toMatchObject([
    { check: 'forged_refused', status: 'not_played', reason },
    { check: 'caught_up', status: 'not_played' },
  ]);
});

test('a log that has not ended leads to the step that is next', () => {
  const { does, log } = judged('kiosk/good');
  for (const [at, { check, step }] of log.entries()) {
    const { report, next } = judge(does, log.slice(0, at));
    expect(next).toMatchObject({ check, step });
    expect(report.find(({ status }) => status === 'running')?.check).toBe(check);
  }
});

test('a log that is not of the checks is refused', () => {
  const { does, log } = judged('listener/good');
  const refused = (other: Log) => expect(() => judge(does, other));
  refused(log.slice(1)).toThrow(
    'the log has {"check":"endpoint_reached","step":{"name":"send"}} in place of {"check":"endpoint_reached","step":{"name":"find_endpoint"}}',
  );
  refused([...log, ...log.slice(0, 1)]).toThrow('the log goes on after the last check');
});
