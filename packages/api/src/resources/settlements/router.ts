import { operation, router } from '../../request/operation.ts';
import { ById } from '../../wire.ts';
import { Settlement, SettlementList, SettlementPage } from './schema.ts';
import * as settlements from './service.ts';

/** Specification: Payments and settlements. */
export const settlementsRouter = router({
  list: operation({
    permission: 'settlements:read',
    summary: 'List settlements',
    description: 'The latest first. Closing a turn makes one.',
    rest: ['GET /v2/settlements'],
  })
    .input(SettlementList)
    .output(SettlementPage)
    .query(({ ctx, input }) => settlements.list(ctx, input)),

  get: operation({
    permission: 'settlements:read',
    summary: 'Read a settlement',
    description: 'What the turn came to when it was closed; later changes of its orders do not show.',
    rest: ['GET /v2/settlements/{id}'],
    errors: ['resource_not_found'],
  })
    .input(ById)
    .output(Settlement)
    .query(({ ctx, input }) => settlements.get(ctx, input.id)),
});
