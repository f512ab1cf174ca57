import { countLocations, family, latencySamples, type MetricFamily, newLatency } from '@comanda/api/services';

/** Counts how long consumers take, and at which endpoints. */
export interface AttemptMeter {
  /** One attempt for a location that was answered, or given up, after `durationMs`. */
  observe(locationId: string, ok: boolean, durationMs: number): void;
  families(): MetricFamily[];
}

const name = 'comanda_delivery_attempt_duration_seconds';

/** Starts at zero. */
export function createAttemptMeter(): AttemptMeter {
  const meters = { delivered: newLatency(), failed: newLatency() };
  const locations = countLocations();
  return {
    observe(locationId, ok, durationMs) {
      locations.count(locationId);
      meters[ok ? 'delivered' : 'failed'].observe(durationMs);
    },
    families: () => [
      family(
        name,
        Object.entries(meters).flatMap(([outcome, meter]) => latencySamples(name, { outcome }, meter)),
      ),
      locations.family('comanda_location_delivery_attempts'),
    ],
  };
}
