import type pg from 'pg';

/** How long a connection keeps its first plans; the next ones twice as long each time, up to the limit. */
const firstPlansMs = 1_000;

/**
 * Gives out connections whose plans are `longestMs` old at most, those of functions, triggers and foreign keys included:
 * what was planned while a table was small is planned anew soon after it has grown (docs/decisions/0020). To be called
 * with each connection that a pool hands out; throws what the connection throws.
 */
export function limitPlanLifetime(longestMs: number): (client: pg.PoolClient) => Promise<pg.PoolClient> {
  const plans = new WeakMap<pg.PoolClient, { until: number; livesMs: number }>();
  return async (client) => {
    const now = performance.now();
    const known = plans.get(client);
    if (known !== undefined && now < known.until) return client;
    const livesMs = Math.min(known === undefined ? firstPlansMs : known.livesMs * 2, longestMs);
    plans.set(client, { until: now + livesMs, livesMs });
    if (known === undefined) return client;
    try {
      await client.query('discard plans');
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
}
