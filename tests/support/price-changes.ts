import { randomUUID } from 'node:crypto';
import { PlannedPriceChange } from '../../packages/api/src/resources/price-changes/schema.ts';
import { dataOf } from './answers.ts';
import { underDeed } from './by-hand.ts';
import type { Place } from './place.ts';
import type { Answer } from './rest.ts';

/** A moment that no test reaches. */
export const farAway = '2400-01-01T00:00:00Z';

/** Plans prices by REST. */
export const planPrices = (
  { rest }: Pick<Place, 'rest'>,
  body: object,
  idempotencyKey: string = randomUUID(),
): Promise<Answer> =>
  rest('POST /v2/price-changes', {
    body: { effective_at: farAway, ...body },
    headers: { 'idempotency-key': idempotencyKey },
  });

/** The same of what is accepted. */
export const plannedPrices = async (place: Pick<Place, 'rest'>, body: object): Promise<PlannedPriceChange> =>
  dataOf(await planPrices(place, body), 201, PlannedPriceChange);

/** Reads one with its prices. */
export const readPriceChange = async (
  { rest }: Pick<Place, 'rest'>,
  id: string,
): Promise<PlannedPriceChange> => dataOf(await rest(`GET /v2/price-changes/${id}`), 200, PlannedPriceChange);

/** The outcome of each product. */
export const outcomesOf = ({ prices }: PlannedPriceChange): Record<string, string> =>
  Object.fromEntries(prices.map(({ product_id, status, reason }) => [product_id, reason ?? status]));

/** Makes every planned price change due, as if its moment had come. */
export async function comeDue({ pool }: Pick<Place, 'pool'>): Promise<void> {
  await underDeed(
    pool,
    'repair: the time of a test',
    `with due as (update price_changes set effective_at = now() where status = 'planned')
     update graphile_worker._private_jobs set run_at = now() where key like 'apply-price-change:%'`,
  );
}
