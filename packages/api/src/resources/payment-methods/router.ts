import { operation, router } from '../../call/operation.ts';
import { ById, Deleted } from '../../wire.ts';
import {
  PaymentMethod,
  PaymentMethodCreate,
  PaymentMethodList,
  PaymentMethodPage,
  PaymentMethodUpdate,
} from './schema.ts';
import * as paymentMethods from './service.ts';

/** Specification: Payments and settlements. */
export const paymentMethodsRouter = router({
  list: operation({
    permission: 'payments:read',
    summary: 'List payment methods',
    description: 'By name, then id; disabled ones included.',
    rest: ['GET /v2/payment-methods'],
  })
    .input(PaymentMethodList)
    .output(PaymentMethodPage)
    .query(({ ctx, input }) => paymentMethods.list(ctx, input)),

  get: operation({
    permission: 'payments:read',
    summary: 'Read a payment method',
    errors: ['resource_not_found'],
  })
    .input(ById)
    .output(PaymentMethod)
    .query(({ ctx, input }) => paymentMethods.get(ctx, input.id)),

  create: operation({
    permission: 'payment_methods:write',
    summary: 'Create a payment method',
  })
    .input(PaymentMethodCreate)
    .output(PaymentMethod)
    .mutation(({ ctx, input }) => paymentMethods.create(ctx, input)),

  update: operation({
    permission: 'payment_methods:write',
    summary: 'Change a payment method',
    description: 'Changes only the fields that are present; one that is disabled takes no new orders.',
    errors: ['resource_not_found'],
  })
    .input(PaymentMethodUpdate)
    .output(PaymentMethod)
    .mutation(({ ctx, input }) => paymentMethods.update(ctx, input)),

  delete: operation({
    permission: 'payment_methods:write',
    summary: 'Delete a payment method',
    description: 'One that has payments is kept: disable it.',
    errors: ['resource_not_found', 'conflict'],
  })
    .input(ById)
    .output(Deleted)
    .mutation(({ ctx, input }) => paymentMethods.remove(ctx, input.id)),
});
