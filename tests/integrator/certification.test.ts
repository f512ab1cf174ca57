import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type Certification,
  type CheckName,
  checkNames,
} from '../../packages/api/src/resources/certifications/schema.ts';
import { checks } from '../../packages/worker/src/certification/checks.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { usePublishingApi } from '../support/published.ts';
import { waitFor } from '../support/wait.ts';
import { knowsIdsAlone, pythons, type Sabotage, sabotages, startIntegration } from './certified.ts';
import { download } from './comanda-mjs.ts';

const api = usePublishingApi();
if (pythons.length === 0)
  console.warn('Python 3.9 or newer is not on this machine (Debian: python3): no integration is certified.');

/** A report, and the key of its sandbox. */
interface Ended {
  report: Certification;
  key: string;
}

/** Starts an integration in a sandbox of its own, certifies it, and gives the report. */
async function certify(sabotage?: Sabotage, does: Partial<Certification['does']> = {}): Promise<Ended> {
  const locationId = await createLocation(api.app.database, { sandbox: true });
  const { key } = await createKey(api.app.database, { locationId, perMinute: 600 });
  expect((await api.rest('POST /v2/sandbox/reset', { key })).status).toBe(200);
  await api.published();
  await startIntegration(api.url, key, sabotage);
  const started = await api.rest<{ data: Certification }>('POST /v2/certifications', { key, body: does });
  expect(started.status).toBe(202);
  const path = `GET /v2/certifications/${started.body.data.id}`;
  const report = await waitFor(
    'the end of the certification',
    async () => {
      const { data } = (await api.rest<{ data: Certification }>(path, { key })).body;
      return data.completed_at !== undefined && data;
    },
    { timeoutMs: 900_000, intervalMs: 1_000 },
  );
  return { report, key };
}

const failed = ({ checks: report }: Certification) =>
  report.filter(({ status }) => status === 'failed').map(({ check }) => check);

describe.each(pythons)('eleven integrations at once, by %s', () => {
  const reports = new Map<string, Ended>();
  beforeAll(async () => {
    const runs: [string, Promise<Ended>][] = [
      ['good', certify()],
      ['no orders', certify(undefined, { places_orders: false })],
      ['ids alone', certify(knowsIdsAlone)],
      ...checkNames.map((name): [string, Promise<Ended>] => [name, certify(sabotages[name])]),
    ];
    for (const [name, run] of runs) reports.set(name, await run);
  }, 900_000);
  const endOf = (name: string) => {
    const ended = reports.get(name);
    if (ended === undefined) throw new Error(`no report of ${name}`);
    return ended;
  };
  const reportOf = (name: string) => endOf(name).report;

  test('the good one passes every check, and the report shows what was seen by request ids', () => {
    const report = reportOf('good');
    expect(report, JSON.stringify(report, null, 1)).toMatchObject({
      status: 'passed',
      verdict: '8 of 8 checks passed.',
    });
    for (const { check, done, seen, read } of report.checks) {
      expect(seen.length, check).toBeGreaterThan(0);
      expect(done.length, check).toBeGreaterThan(0);
      expect(read).toMatch(/^\/docs\/guides\//);
    }
    const calls = report.checks.flatMap(({ seen }) => seen).filter(({ request_id: id }) => id !== undefined);
    expect(calls.length).toBeGreaterThan(10);
  });

  test('one that does not place orders is told which checks do not apply', () => {
    const report = reportOf('no orders');
    expect(report).toMatchObject({
      status: 'passed',
      verdict: '6 of 6 checks passed. 2 do not apply: it does not place orders.',
    });
    const left = report.checks.filter(({ status }) => status === 'not_applicable');
    expect(left.map(({ check }) => check)).toEqual(['order_repeated', 'gone_and_cancelled']);
  });

  test.each(checkNames)(
    'the one that is spoiled for %s fails it, and none that does not lean on it',
    (name) => {
      const report = reportOf(name);
      expect(report.status).toBe('failed');
      const found = failed(report);
      expect(found, JSON.stringify(report, null, 1)).toContain(name);
      const leaning = checkNames.filter((other) => checks[other].leansOn.includes(name));
      const allowed: CheckName[] = [name, ...leaning];
      expect(
        found.filter((each) => !allowed.includes(each)),
        JSON.stringify(report, null, 1),
      ).toEqual([]);
      for (const { status, reason } of report.checks) if (status === 'failed') expect(reason).toMatch(/\.$/);
    },
  );

  test('both waits of one that does not wait are judged, and told apart', () => {
    const found = reportOf('waits_as_told').checks.find(({ check }) => check === 'waits_as_told');
    const early = (status: number) =>
      `After ${status} it asked again after [0-9.]+ s, though Retry-After said 3\\.`;
    expect(found?.reason).toMatch(new RegExp(`^${early(429)} ${early(503)}$`));
  });

  test('what the endpoint answered stands beside the event that it was sent', () => {
    const found = reportOf('good').checks.find(({ check }) => check === 'once_each');
    const sent = found?.done.flatMap((text) => /^sent (\S+ \S+):/.exec(text)?.[1] ?? []);
    const answered = found?.seen.flatMap(
      ({ text }) => /^the endpoint answered (\S+ \S+) with/.exec(text)?.[1] ?? [],
    );
    expect(sent).toHaveLength(3);
    expect(answered).toEqual(sent);
  });

  test('one that knows events by their ids alone pulls for an older version that comes late, which is seen', () => {
    const { checks: report } = reportOf('ids alone');
    const found = report.find(({ check }) => check === 'once_each');
    expect(found?.reason).toBe('After an older version that comes late the catalog was pulled again.');
  });

  test('comanda certify prints a report, and says by its exit code whether it was passed', async () => {
    for (const [name, code] of [
      ['good', 0],
      ['every_page', 1],
    ] as const) {
      const { report, key } = endOf(name);
      const { run } = await download({ url: api.url, key: { id: '', key } });
      const ended = await run(['certify', '--follow', report.id]);
      expect(ended.code, ended.stderr).toBe(code);
      expect(ended.stdout).toContain(`**${report.status}**: ${report.verdict}`);
      for (const { title, seen } of report.checks) {
        expect(ended.stdout).toContain(`## ${title}: `);
        for (const { request_id: id } of seen) if (id !== undefined) expect(ended.stdout).toContain(id);
      }
    }
    const { run } = await download(api);
    const refused = await run(['certify', '--no-orders']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('Only a sandbox is certified'),
    ]);
  });
});

test('the guide shows every check by its name, and the report of a run that passed them all', () => {
  const guide = readFileSync(join(repositoryRoot, 'docs/guides/certify.md'), 'utf8');
  for (const name of checkNames) {
    expect(guide).toContain(`| \`${name}\` |`);
    expect(guide).toContain(`## ${checks[name].title}: passed`);
  }
});
