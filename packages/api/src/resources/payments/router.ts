import { operation, router } from '../../request/operation.ts';
import { ById } from '../../wire.ts';
import { Payment, PaymentList, PaymentPage } from './schema.ts';
import * as payments from './service.ts';

/** Specification: Payments and settlements. */
export const paymentsRouter = router({
  list: operation({
    permission: 'payments:read',
    summary: 'List payments',
    description: 'Newest first.',
    rest: ['GET /v1/payments', 'GET /v2/payments'],
  })
    .input(PaymentList)
    .output(PaymentPage)
    .query(({ ctx, input }) => payments.list(ctx, input)),

  get: operation({
    permission: 'payments:read',
    summary: 'Read a payment',
    description: 'Every order has one; its status stands in the order, too.',
    rest: ['GET /v2/payments/{id}'],
    errors: ['resource_not_found'],
  })
    .input(ById)
    .output(Payment)
    .query(({ ctx, input }) => payments.get(ctx, input.id)),

  complete: operation({
    permission: 'payments:write',
    summary: 'Complete a payment',
    description: 'From pending only; completed is final.',
    errors: ['resource_not_found', 'conflict'],
  })
    .input(ById)
    .output(Payment)
    .mutation(({ ctx, input }) => payments.move(ctx, input.id, 'payments.complete')),

  reject: operation({
    permission: 'payments:write',
    summary: 'Reject a payment',
    description: 'From pending only; rejected is final.',
    errors: ['resource_not_found', 'conflict'],
  })
    .input(ById)
    .output(Payment)
    .mutation(({ ctx, input }) => payments.move(ctx, input.id, 'payments.reject')),
});
