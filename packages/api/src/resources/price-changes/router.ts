import { idempotentOperation, operation, router } from '../../call/operation.ts';
import {
  canceledExample,
  PlannedPriceChange,
  PriceChangeById,
  PriceChangeCreate,
  PriceChangeList,
  PriceChangePage,
} from './schema.ts';
import * as priceChanges from './service.ts';

/** Contract: planned prices. */
export const priceChangesRouter = router({
  create: idempotentOperation({
    permission: 'products:write',
    summary: 'Plan prices',
    description:
      'Of products, or of a category by a percentage. A worker applies them at `effective_at`. A price that anybody changed after the planning ' +
      'is skipped. No batch job is counted.',
    rest: ['POST /v2/price-changes'],
    status: 201,
    errors: ['conflict'],
    // It reads every product of a category.
    apart: true,
  })
    .input(PriceChangeCreate)
    .output(PlannedPriceChange)
    .mutation(({ ctx, input }) => priceChanges.create(ctx, input)),

  list: operation({
    permission: 'products:read',
    summary: 'List planned prices',
    description: 'Newest first, without the prices of each.',
    rest: ['GET /v2/price-changes'],
  })
    .input(PriceChangeList)
    .output(PriceChangePage)
    .query(({ ctx, input }) => priceChanges.list(ctx, input)),

  get: operation({
    permission: 'products:read',
    summary: 'Read planned prices',
    description: 'Every price with its outcome, and why it was skipped.',
    rest: ['GET /v2/price-changes/{id}'],
    errors: ['resource_not_found'],
  })
    .input(PriceChangeById)
    .output(PlannedPriceChange)
    .query(({ ctx, input }) => priceChanges.get(ctx, input.id)),

  cancel: operation({
    permission: 'products:write',
    summary: 'Cancel planned prices',
    description:
      'As long as they are planned. They can be read as canceled; to cancel them again changes nothing.',
    rest: ['DELETE /v2/price-changes/{id}'],
    errors: ['resource_not_found', 'conflict'],
    answerExample: canceledExample,
  })
    .input(PriceChangeById)
    .output(PlannedPriceChange)
    .mutation(({ ctx, input }) => priceChanges.cancel(ctx, input.id)),
});
