import { beforeAll, describe, expect, test } from 'vitest';
import type {
  Certification,
  CertificationStart,
  CheckName,
} from '../../packages/api/src/resources/certifications/schema.ts';
import { checks } from '../../packages/worker/src/certification/checks.ts';
import type { usePublishingApi } from '../support/published.ts';
import { certify, type Ended, type Program, pythons } from './certified.ts';
import type { Change, Mutants } from './certified-mutants.ts';

/** A program, how it is certified, and the mutants of it that fail each check. */
export interface MutantTable {
  program: Program;
  start: CertificationStart;
  mutants: Mutants;
}

/** So many runs at once: each mostly waits. */
const atOnce = 16;

/** The ends of runs that were played at once. */
export type Ends = (name: string) => Ended;

const wrongs = ({ mutants }: MutantTable) =>
  (Object.entries(mutants) as [CheckName, Record<string, Change>][]).flatMap(([check, all]) =>
    Object.entries(all).map(([wrong, change]) => [check, wrong, change] as const),
  );

/** Certifies the good program, every mutant and `more` at once, and holds each mutant to fail its own check alone. */
export function describeMutants(
  api: ReturnType<typeof usePublishingApi>,
  table: MutantTable,
  more: Readonly<Record<string, { start?: CertificationStart; change?: Change }>>,
  further: (endOf: Ends) => void,
): void {
  const { program, start } = table;
  if (pythons.length === 0)
    console.warn(
      'Python 3.9 or newer is not on this machine (Debian: python3): no integration is certified.',
    );
  describe.each(pythons)(`${program} and its mutants at once, by %s`, () => {
    const ends = new Map<string, Ended>();
    beforeAll(async () => {
      const waiting: [string, () => Promise<Ended>][] = [
        ['good', () => certify(api, program, start)],
        ...Object.entries(more).map(([name, other]): [string, () => Promise<Ended>] => [
          name,
          () => certify(api, program, other.start ?? start, other.change),
        ]),
        ...wrongs(table).map(([check, wrong, change]): [string, () => Promise<Ended>] => [
          `${check}: ${wrong}`,
          () => certify(api, program, start, change),
        ]),
      ];
      const work = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          ends.set(next[0], await next[1]());
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    }, 900_000);
    const endOf = (name: string) => {
      const ended = ends.get(name);
      if (ended === undefined) throw new Error(`no report of ${name}`);
      return ended;
    };

    test('the good one passes every check that applies, and the report shows what was seen', () => {
      const { report } = endOf('good');
      expect(report, JSON.stringify(report, null, 1)).toMatchObject({ status: 'passed' });
      const played = report.checks.filter(({ status }) => status === 'passed').map(({ check }) => check);
      for (const { check, done, seen } of report.checks)
        if (played.includes(check)) expect([seen.length, done.length], check).not.toContain(0);
    });

    test.each(wrongs(table))('%s fails alone when %s', (check, wrong) => {
      const { report } = endOf(`${check}: ${wrong}`);
      const shown = JSON.stringify(report, null, 1);
      expect(report.status, shown).toBe('failed');
      expect(failedIn(report), shown).toEqual([check]);
      for (const each of report.checks) {
        if (each.status === 'failed') expect(each.reason).toMatch(/\.$/);
        if (each.status === 'not_played') expect(checks[each.check].leansOn.length).toBeGreaterThan(0);
      }
    });

    further(endOf);
  });
}

const failedIn = ({ checks: report }: Certification) =>
  report.filter(({ status }) => status === 'failed').map(({ check }) => check);
