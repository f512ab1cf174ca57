import { beforeAll, describe, expect, test } from 'vitest';
import { type PlayedRun, playedRuns } from '../../../packages/worker/src/certification/certifications.ts';
import { judge } from '../../../packages/worker/src/certification/judge.ts';
import type { Log } from '../../../packages/worker/src/certification/log.ts';
import { writeLog } from '../../../tests/certification/logs.ts';
import { type Case, cases } from '../../../tests/certification/mutants.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { waitFor } from '../../../tests/support/wait.ts';
import { certify, type Ended, pythons } from './certified.ts';
import { download } from './comanda-mjs.ts';

// The good program of each role, certified by the real service, at once. COMANDA_RECORD=yes certifies every program and mutant, and writes
// the logs that tests/certification/certification.test.ts judges; another value records the logs whose names contain it.

const api = usePublishingApi();
const { COMANDA_RECORD: recorded } = process.env;
const isRecorded = ({ name }: Case) =>
  recorded !== undefined && (recorded === 'yes' || name.includes(recorded));
/** So many runs at once: each mostly waits. */
const atOnce = 16;

if (pythons.length === 0)
  console.warn('Python 3.9 or newer is not on this machine (Debian: python3): no integration is certified.');

describe.each(pythons)('certified at once, by %s:', () => {
  const ends = new Map<string, Ended & { log: Log }>();
  beforeAll(async () => {
    const logs = new Map<string, Log>();
    const keep = (run: unknown) => {
      const { certificationId, log } = run as PlayedRun;
      logs.set(certificationId, log);
    };
    playedRuns.subscribe(keep);
    const waiting = cases.filter((each) => each.name.endsWith('/good') || isRecorded(each));
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { name, program, start, change, fails } = next;
        const ended = await certify(api, program, start, change);
        const log = await waitFor('the log', () => logs.get(ended.report.id));
        ends.set(name, { ...ended, log });
        const { reason } = ended.report.checks.find(({ check }) => check === fails) ?? {};
        if (isRecorded(next)) writeLog(name, { log, ...(reason !== undefined && { reason }) });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    playedRuns.unsubscribe(keep);
  }, 900_000);
  const endOf = (role: string) => {
    const ended = ends.get(`${role}/good`);
    if (ended === undefined) throw new Error(`no report of ${role}`);
    return ended;
  };

  test.each(['kiosk', 'erp', 'listener'])(
    'the good %s passes, and its log leads to the same report',
    (role) => {
      const { report, log } = endOf(role);
      expect(report, JSON.stringify(report, null, 1)).toMatchObject({ status: 'passed' });
      expect(judge(report.does, log)).toEqual({ report: report.checks });
      const seen = report.checks.flatMap((check) => check.seen);
      expect(seen.filter(({ at }) => Number.isNaN(Date.parse(at)))).toEqual([]);
      const calls = seen.filter(({ request_id: id }) => id !== undefined);
      expect(calls.length).toBeGreaterThan(role === 'kiosk' ? 10 : 0);
    },
  );

  test('a start without a role is that of a kiosk, as it was before there were roles', () => {
    expect(endOf('kiosk').report).not.toHaveProperty('role');
    expect(endOf('erp').report).toMatchObject({ role: 'erp' });
  });

  test('comanda certify prints the report of a run that passed', async () => {
    const { report, key } = endOf('listener');
    const { run } = await download({ url: api.url, key: { id: '', key } });
    const ended = await run(['certify', '--follow', report.id]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain(`**passed**: ${report.verdict}`);
    for (const { title, seen } of report.checks) {
      expect(ended.stdout).toContain(`## ${title}: `);
      for (const { request_id: id } of seen) if (id !== undefined) expect(ended.stdout).toContain(id);
    }
  });
});

describe('comanda certify', () => {
  test('says by its exit code that a run failed', async () => {
    const { token: key } = await api.place({ location: { sandbox: true } });
    const { run } = await download({ url: api.url, key: { id: '', key } });
    const ended = await run(['certify', '--role', 'listener']);
    expect([ended.code, ended.stdout]).toEqual([
      1,
      expect.stringContaining('**failed**: 0 of 3 checks passed.'),
    ]);
  });

  test('says why a run was not started', async () => {
    const { run } = await download(api);
    const refused = await run(['certify', '--role', 'erp']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('Only a sandbox is certified'),
    ]);
    expect((await run(['certify', '--role', 'till'])).code).toBe(2);
  });
});
