import type pg from 'pg';

/** How long a connection keeps a plan at most, in milliseconds; a young one for as long as it has lived, or a second. */
export const planLifetimeMs = 15_000;
const firstPlansMs = 1_000;

/**
 * Returns connections whose plans are young, those of functions, triggers and foreign keys included: a plan made while
 * a table was small is made again soon after the table has grown (docs/design/database.md, "Plans"). To be called with each
 * connection that a pool hands out; throws what the connection throws.
 */
export function limitPlanLifetime(): (client: pg.PoolClient) => Promise<pg.PoolClient> {
  const plans = new WeakMap<pg.PoolClient, { openedAt: number; madeAt: number }>();
  return async (client) => {
    const now = performance.now();
    const { openedAt, madeAt } = plans.get(client) ?? { openedAt: now, madeAt: now };
    const lifetimeMs = Math.min(planLifetimeMs, Math.max(firstPlansMs, madeAt - openedAt));
    if (plans.has(client) && now - madeAt < lifetimeMs) return client;
    plans.set(client, { openedAt, madeAt: now });
    if (now === openedAt) return client;
    try {
      await client.query('discard plans');
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
}
