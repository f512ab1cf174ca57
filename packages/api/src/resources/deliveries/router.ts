import { operation, router } from '../../call/operation.ts';
import { Delivery, DeliveryRetry } from './schema.ts';
import * as deliveries from './service.ts';

/** Contract: internal procedures; typed client only. */
export const deliveriesRouter = router({
  retry: operation({
    permission: 'deliveries:retry',
    summary: 'Send an event to an endpoint again',
    description:
      'Makes a new delivery of the event, for any outcome of the one that is named; a retry that waits gives way to it. A ' +
      'delivery on its way, and a disabled endpoint, are a conflict.',
    errors: ['resource_not_found', 'conflict'],
  })
    .input(DeliveryRetry)
    .output(Delivery)
    .mutation(({ ctx, input }) => deliveries.retry(ctx, input.id)),
});
