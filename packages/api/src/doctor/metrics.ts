import { type CheckMetrics, measureChecks } from '../metrics/checks.ts';
import { checking } from '../metrics/table.ts';
import { diagnose } from './doctor.ts';

/** The checks of doctor for `/metrics`, with the settings of `environment`: what must always hold is looked at for a few seconds a time. */
export function doctorMetrics(environment: Readonly<Record<string, string | undefined>>): CheckMetrics {
  const { invariantSeconds } = checking;
  return measureChecks(
    async () => (await diagnose(environment, { thresholds: { invariantSeconds } })).checks,
  );
}
