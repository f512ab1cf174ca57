import { randomUUID } from 'node:crypto';
import type { Reason } from '../../packages/api/src/reasons.ts';
import type { Call, TestApi } from '../support/api.ts';
import type { Refusal } from './refusals.ts';

/** The context of the calls. */
interface Means {
  api: TestApi;
  rest(route: string, call: Call): Promise<Refusal>;
}

/** A call for each reason for which stock stays as it is. */
export function stockReasons(
  means: () => Means,
): Record<Extract<Reason, 'stock_changed' | 'stock_range'>, () => Promise<Refusal>> {
  const adjusted = async (body: object) => {
    const { api, rest } = means();
    const { locationId } = api;
    const id = await api.make.product({ locationId, stock: { quantity: 0 } });
    return rest(`POST /v2/products/${id}/stock/adjust`, {
      body,
      headers: { 'idempotency-key': randomUUID() },
    });
  };
  return {
    stock_changed: () => adjusted({ adjust: 1, expected: 1 }),
    stock_range: () => adjusted({ adjust: -1 }),
  };
}
