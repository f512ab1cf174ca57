import type { PriceChange } from '../generated/prisma/client.ts';
import { plain, table } from './table.ts';

export const priceChanges = table<PriceChange>()('price_changes', {
  columns: {
    ...plain(
      'location_id id effective_at status category_id prices total_prices applied_prices skipped_prices',
      'request_id api_key_id traceparent created_at ended_at',
    ),
    percent: { number: { least: '-100', most: '1000', decimals: 2 } },
  },
  people: 'read',
  belongs: { sandbox: 'emptied' },
  serviceOnly: "planned prices are the service's: plan them by POST /v2/price-changes",
});
