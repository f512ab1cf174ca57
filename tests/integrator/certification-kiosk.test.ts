import { expect, test } from 'vitest';
import { usePublishingApi } from '../support/published.ts';
import { words } from '../support/words.ts';
import { describeMutants } from './certification-mutants.ts';
import { kioskMutants } from './certified-mutants.ts';

const api = usePublishingApi();

describeMutants(
  api,
  { program: 'integration.py', start: {}, mutants: kioskMutants },
  { 'no orders': { start: { role: 'kiosk', places_orders: false } } },
  (endOf) => {
    test('a start without a role is that of a kiosk, as it was before there were roles', () => {
      const { report } = endOf('good');
      expect(report).toMatchObject({
        verdict: '9 of 9 checks passed. 3 do not apply: it does not take orders, nor bring the catalog.',
      });
      expect(report).not.toHaveProperty('role');
      const calls = report.checks
        .flatMap(({ seen }) => seen)
        .filter(({ request_id: id }) => id !== undefined);
      expect(calls.length).toBeGreaterThan(10);
    });

    test('one that does not place orders learns which checks do not apply', () => {
      const { report } = endOf('no orders');
      expect(report.status, JSON.stringify(report, null, 1)).toBe('passed');
      const left = report.checks.filter(({ status }) => status === 'not_applicable');
      expect(left.map(({ check }) => check)).toEqual(
        words('order_repeated statuses_sent refused_move_ends failed_items_read gone_and_cancelled'),
      );
    });

    test('both waits of one that does not wait are judged separately', () => {
      const { report } = endOf('waits_as_told: it asks again at once');
      const found = report.checks.find(({ check }) => check === 'waits_as_told');
      const early = (status: number) =>
        `After ${status} it asked again after [0-9.]+ s, though Retry-After said 3\\.`;
      expect(found?.reason).toMatch(new RegExp(`^${early(429)} ${early(503)}$`));
    });

    test('the answer of the endpoint is next to the event that it received', () => {
      const found = endOf('good').report.checks.find(({ check }) => check === 'once_each');
      const sent = found?.done.flatMap((text) => /^sent (\S+ \S+):/.exec(text)?.[1] ?? []);
      const answered = found?.seen.flatMap(
        ({ text }) => /^the endpoint answered (\S+ \S+) with/.exec(text)?.[1] ?? [],
      );
      expect(sent).toHaveLength(3);
      expect(answered).toEqual(sent);
    });
  },
);
