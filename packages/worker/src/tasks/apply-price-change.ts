import { applyPriceChange } from '@comanda/api/services';
import type { Task } from './task.ts';

/** Applies a planned price change in one transaction; one that is canceled, has ended or is not due is left alone. */
export const applyPlannedPrices: Task<'apply-price-change'> = async (
  { locationId, priceChangeId },
  { database, log },
) => {
  const applied = await applyPriceChange(database, locationId, priceChangeId);
  if (applied !== undefined) log.info({ locationId, priceChangeId, ...applied }, 'price change ended');
};
