import { expect, test } from 'vitest';
import { checkNames } from '../../packages/api/src/resources/certifications/schema.ts';
import { usePublishingApi } from '../support/published.ts';
import { describeMutants } from './certification-mutants.ts';
import { erpMutants, kioskMutants, listenerMutants, otherWays } from './certified-mutants.ts';
import { download } from './comanda-mjs.ts';

const api = usePublishingApi();

test('every check has at least three mutants', () => {
  const tables = [kioskMutants, erpMutants, listenerMutants];
  const most = (name: (typeof checkNames)[number]) =>
    Math.max(...tables.map((table) => Object.keys(table[name] ?? {}).length));
  expect(checkNames.filter((name) => most(name) < 3)).toEqual([]);
});

describeMutants(
  api,
  { program: 'integration.py', start: { role: 'listener' }, mutants: listenerMutants },
  Object.fromEntries(Object.entries(otherWays).map(([way, change]) => [way, { change }])),
  (endOf) => {
    test('one that only receives webhooks passes, and nothing else is asked of it', () => {
      expect(endOf('good').report.verdict).toMatch(/^3 of 3 checks passed\. 9 do not apply: /);
    });

    test.each(Object.keys(otherWays))('one that %s passes as well', (name) => {
      const { report } = endOf(name);
      expect(report.status, JSON.stringify(report, null, 1)).toBe('passed');
    });

    test('an address where no program listens is reported first, and the checks that depend on it are not played', () => {
      const { checks } = endOf('endpoint_reached: no program listens at its address').report;
      expect(checks[0]).toMatchObject({
        check: 'endpoint_reached',
        reason: expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:9\/hook: connection refused\. /),
      });
      const played = checks.filter(({ status }) => status !== 'not_applicable').slice(1);
      expect(played).toMatchObject([
        {
          check: 'forged_refused',
          status: 'not_played',
          reason: 'Not played, since endpoint_reached did not pass.',
        },
        { check: 'caught_up', status: 'not_played' },
      ]);
    });

    test('comanda certify prints a report, and says by its exit code whether it was passed', async () => {
      for (const [name, code] of [
        ['good', 0],
        ['caught_up: it reads no feed', 1],
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
      const refused = await run(['certify', '--role', 'erp']);
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining('Only a sandbox is certified'),
      ]);
      expect((await run(['certify', '--role', 'till'])).code).toBe(2);
    });
  },
);
