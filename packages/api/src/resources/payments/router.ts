import { idempotentOperation, operation, router } from '../../call/operation.ts';
import {
  Payment,
  PaymentById,
  PaymentList,
  PaymentListV1,
  PaymentPage,
  PaymentPageV1,
  PaymentRefund,
  PaymentWanted,
  PaymentWithBooks,
} from './schema.ts';
import * as payments from './service.ts';

/** Specification: Payments and settlements. */
export const paymentsRouter = router({
  list: operation({
    permission: 'payments:read',
    summary: 'List payments',
    description:
      'Newest first. With `updated_since` by the moment of the last change; the answer has a `Link` to follow, again and ' +
      'again: nothing that changes is missed.',
    rest: ['GET /v2/payments'],
  })
    .input(PaymentList)
    .output(PaymentPage)
    .query(({ ctx, input }) => payments.list(ctx, input)),

  get: operation({
    permission: 'payments:read',
    summary: 'Read a payment',
    description:
      'Every order has one, and another one after each that was rejected; the status of the latest is in the order, too.',
    rest: ['GET /v2/payments/{id}'],
    errors: ['resource_not_found'],
  })
    .input(PaymentWanted)
    .output(PaymentWithBooks)
    .query(({ ctx, input }) => payments.get(ctx, input.id, input.include)),

  complete: operation({
    permission: 'payments:write',
    summary: 'Complete a payment',
    description: 'From pending only; completed is final. It is recorded: no payment provider is called.',
    rest: ['POST /v2/payments/{id}/complete'],
    errors: ['resource_not_found', 'conflict'],
  })
    .input(PaymentById)
    .output(Payment)
    .joinedMutation(({ ctx, input }) => payments.move(ctx, input.id, 'payments.complete')),

  reject: operation({
    permission: 'payments:write',
    summary: 'Reject a payment',
    description: 'From pending only; rejected is final. It is recorded: no payment provider is called.',
    rest: ['POST /v2/payments/{id}/reject'],
    errors: ['resource_not_found', 'conflict'],
  })
    .input(PaymentById)
    .output(Payment)
    .joinedMutation(({ ctx, input }) => payments.move(ctx, input.id, 'payments.reject')),

  refund: idempotentOperation({
    permission: 'payments:write',
    summary: 'Record a refund',
    description:
      'Records that money of a completed payment was given back, with a reason. No payment provider is called: give ' +
      'the money back first. There may be several, up to the amount of the payment. The payment stays completed, and shows ' +
      'the sum as `refunded`.',
    rest: ['POST /v2/payments/{id}/refund'],
    errors: ['resource_not_found', 'conflict'],
  })
    .input(PaymentRefund)
    .output(PaymentWithBooks)
    .mutation(({ ctx, input }) => payments.refund(ctx, input)),
});

/** The differences of the first family. */
export const paymentsV1Router = router({
  list: operation({
    permission: 'payments:read',
    summary: 'List payments',
    description: 'Newest first.',
    rest: ['GET /v1/payments'],
  })
    .input(PaymentListV1)
    .output(PaymentPageV1)
    .query(({ ctx, input }) => payments.list(ctx, input)),
});
