import { valueIn } from '@comanda/api/src/call/answer.ts';
import { ApiError } from '@comanda/api/src/errors.ts';
import type { OrderOverview, OrderWanted } from '@comanda/api/src/resources/orders/overview.schema.ts';
import { overview } from '@comanda/api/src/resources/orders/overview.service.ts';
import { isId } from '@comanda/db';
import type { Work } from './command.ts';
import { orderText } from './order-text.ts';
import { type Scope, scopeOf } from './scope.ts';

/** `comanda orders show` */
export const showOrder: Work = {
  run: async ({ database }, { location }, [name = '']) => find(await scopeOf(database, location, name), name),
  show: (value) => orderText(value as OrderOverview),
};

const everything = new Set(['*']);

// A text of digits is a number first, and else an external_id.
async function find(scope: Scope, name: string): Promise<OrderOverview> {
  const wanted: OrderWanted[] = [
    ...(/^\d{1,15}$/.test(name) ? [{ number: Number(name) }] : []),
    ...(isId(name) ? [{ id: name }] : []),
  ];
  for (const each of wanted) {
    try {
      return await valueIn(await overview(scope, each, everything));
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'not_found')) throw error;
    }
  }
  return valueIn(await overview(scope, { external_id: name }, everything));
}
