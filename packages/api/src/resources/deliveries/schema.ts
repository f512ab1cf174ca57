import { z } from 'zod';
import { Id, Timestamp } from '../../wire.ts';
import { WebhookDelivery } from '../webhook-endpoints/schema.ts';

const { response_code, error, replayed } = WebhookDelivery.shape;

/** An event on its way to one endpoint, with all its attempts. */
export const Delivery = z
  .object({
    id: Id,
    event_id: Id,
    event_type: z.string().meta({ example: 'order.created' }),
    endpoint_id: Id,
    endpoint_url: z.string(),
    status: z.enum(['pending', 'delivered', 'failed', 'dead', 'dropped']).meta({
      description: 'failed: it is tried again; dead: its last attempt failed; dropped: it is never sent.',
    }),
    attempts: z.int().meta({ description: 'How many were made.', example: 1 }),
    created_at: Timestamp,
    next_attempt_at: Timestamp.optional(),
    response_code,
    error,
    replayed,
    can_retry: z.literal(true).exactOptional().meta({
      description: 'It may be sent again: it is the latest of its event there, and on its way no more.',
    }),
  })
  .meta({ id: 'Delivery', description: 'An event on its way to one endpoint.' });
export type Delivery = z.infer<typeof Delivery>;

/** Which one is sent again. */
export const DeliveryRetry = z
  .object({
    id: Id.meta({ description: 'A delivery, or an attempt of it as the log of its endpoint shows it.' }),
  })
  .meta({ id: 'DeliveryRetry' });
