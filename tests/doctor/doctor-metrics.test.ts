import { afterEach, describe, expect, it } from 'vitest';
import { diagnose } from '../../packages/api/src/doctor/doctor.ts';
import { measureChecks, outcomes } from '../../packages/api/src/metrics/checks.ts';
import { useTestDatabase } from '../support/database.ts';
import { type ExposedMetric, metricsIn } from '../support/metric-text.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';

const own = useTestDatabase();
const encryptionKey = 'the-key-that-api-and-doctor-share-here';
let api: TestProcess | undefined;
afterEach(async () => {
  await api?.stop();
  api = undefined;
});

const checks = async () =>
  metricsIn(await (await fetch(`${api?.url}/metrics`)).text()).find(
    ({ name }) => name === 'comanda_check_outcome',
  );

/** `name: outcome` of each reported check; one outcome each. */
function said({ samples }: ExposedMetric): string[] {
  const names = [...new Set(samples.map(({ labels }) => labels.check ?? ''))];
  return names.flatMap((name) => {
    const of = samples.filter(({ labels }) => labels.check === name);
    expect(of.map(({ labels }) => labels.outcome)).toEqual([...outcomes]);
    return of.filter(({ value }) => value === 1).map(({ labels }) => `${name}: ${labels.outcome}`);
  });
}

describe('the checks of doctor at /metrics', { timeout: 120_000 }, () => {
  it.each([1, 2])('of %i API processes are what doctor says, each once', async (processes) => {
    const env = { DATABASE_URL: own.url, ENCRYPTION_KEY: encryptionKey };
    api = await startProcess({ entry: 'api', env: { ...env, API_PROCESSES: String(processes) } });
    const found = await waitFor(
      'the first look',
      async () => {
        const metric = await checks();
        return metric !== undefined && metric.samples.length > 0 && metric;
      },
      { timeoutMs: 60_000 },
    );
    const shown = said(found);
    const doctor = await diagnose(env);
    expect(shown.map((line) => line.split(': ')[0])).toEqual(doctor.checks.map(({ name }) => name));
    expect(shown).toContain('workers: wrong');
    expect(shown).toContain('database reachable: ok');
    // Whichever process is asked.
    for (let scrape = 0; scrape < 4; scrape += 1) {
      const again = await checks();
      expect(again && said(again)).toEqual(shown);
    }
  });
});

describe('a watch over checks', () => {
  const lookEndsWith = () => {
    const waiting: ((found: { name: string; outcome: 'ok' | 'wrong' }[] | Error) => void)[] = [];
    const watch = measureChecks(
      () =>
        new Promise((resolve, reject) =>
          waiting.push((found) => (found instanceof Error ? reject(found) : resolve(found))),
        ),
      0,
    );
    const shown = () => watch.families().map(({ values }) => values.length);
    return { waiting, watch, shown };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('looks once at a time, and says nothing before the first look has ended', async () => {
    const { waiting, shown } = lookEndsWith();
    for (let scrape = 0; scrape < 3; scrape += 1) expect(shown()).toEqual([0, 0]);
    expect(waiting).toHaveLength(1);
    waiting[0]?.([{ name: 'clock', outcome: 'wrong' }]);
    await settled();
    expect(shown()).toEqual([outcomes.length, 1]);
    expect(waiting).toHaveLength(2);
  });

  it('keeps what the last look found when the next one fails', async () => {
    const { waiting, shown } = lookEndsWith();
    shown();
    waiting[0]?.([{ name: 'clock', outcome: 'ok' }]);
    await settled();
    shown();
    waiting[1]?.(new Error('no connection'));
    await settled();
    expect(shown()).toEqual([outcomes.length, 1]);
    expect(waiting).toHaveLength(3);
  });

  it('looks no oftener than its clock says', async () => {
    let looks = 0;
    const watch = measureChecks(async () => {
      looks += 1;
      return [];
    }, 600_000);
    for (let scrape = 0; scrape < 5; scrape += 1) {
      watch.families();
      await settled();
    }
    expect(looks).toBe(1);
  });
});
