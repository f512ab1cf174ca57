import { family, latencySamples, type MetricFamily, newLatency } from '@comanda/api/services';

/** Counts how long consumers take. */
export interface AttemptMeter {
  /** One attempt that was answered, or given up, after `durationMs`. */
  observe(ok: boolean, durationMs: number): void;
  families(): MetricFamily[];
}

const name = 'comanda_delivery_attempt_duration_seconds';

/** Starts at zero. */
export function createAttemptMeter(): AttemptMeter {
  const meters = { delivered: newLatency(), failed: newLatency() };
  return {
    observe: (ok, durationMs) => meters[ok ? 'delivered' : 'failed'].observe(durationMs),
    families: () => [
      family(
        name,
        Object.entries(meters).flatMap(([outcome, meter]) => latencySamples(name, { outcome }, meter)),
      ),
    ],
  };
}
