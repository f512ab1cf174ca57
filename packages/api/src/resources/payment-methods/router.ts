import { operation, router } from '../../trpc.ts';
import { PaymentMethodList, PaymentMethodPage } from './schema.ts';
import * as paymentMethods from './service.ts';

/** Specification: Payments and settlements. */
export const paymentMethodsRouter = router({
  list: operation({
    permission: 'payments:read',
    summary: 'List payment methods',
    description: 'By name, then id; disabled ones included.',
    rest: ['GET /v2/payment-methods'],
    list: true,
  })
    .input(PaymentMethodList)
    .output(PaymentMethodPage)
    .query(({ ctx, input }) => paymentMethods.list(ctx, input)),
});
