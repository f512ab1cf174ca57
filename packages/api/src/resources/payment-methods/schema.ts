import { z } from 'zod';
import { Id, page, paging } from '../../wire.ts';
import { PaymentMethodType } from '../payments/schema.ts';

/** A way to pay at the location. */
export const PaymentMethod = z
  .object({
    id: Id,
    name: z.string().meta({ example: 'Cash' }),
    type: PaymentMethodType,
    enabled: z.boolean().meta({ description: 'Whether new orders may name it.' }),
  })
  .meta({ id: 'PaymentMethod', description: 'A way to pay.' });
export type PaymentMethod = z.infer<typeof PaymentMethod>;

export const PaymentMethodList = z.object(paging);
export const PaymentMethodPage = page(PaymentMethod);
