import { operation, router } from '../../call/operation.ts';
import {
  Settlement,
  SettlementById,
  SettlementEntryList,
  SettlementEntryPage,
  SettlementList,
  SettlementPage,
} from './schema.ts';
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
    description:
      'The totals of the turn when it was closed. They never change: what is corrected or refunded later is in a later settlement.',
    rest: ['GET /v2/settlements/{id}'],
    errors: ['resource_not_found'],
  })
    .input(SettlementById)
    .output(Settlement)
    .query(({ ctx, input }) => settlements.get(ctx, input.id)),

  entries: operation({
    permission: 'settlements:read',
    summary: 'List what a settlement is made of',
    description:
      'Oldest first: each payment that its turn collected, each correction and each refund. Every one is in one settlement, once.',
    rest: ['GET /v2/settlements/{id}/entries'],
    errors: ['resource_not_found', 'conflict'],
  })
    .input(SettlementEntryList)
    .output(SettlementEntryPage)
    .query(({ ctx, input }) => settlements.entries(ctx, input)),
});
