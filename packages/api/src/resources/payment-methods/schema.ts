import { z } from 'zod';
import { exampleIds } from '../../examples.ts';
import { Name } from '../../texts.ts';
import { Id, page, paging, ShownName } from '../../wire.ts';
import { PaymentMethodType } from '../payments/schema.ts';

/** A way to pay at the location. */
export const PaymentMethod = z
  .object({
    id: Id,
    name: ShownName.meta({ example: 'Cash' }),
    type: PaymentMethodType,
    enabled: z.boolean().meta({ description: 'Whether new orders may name it.' }),
  })
  .meta({
    id: 'PaymentMethod',
    description: 'A way to pay.',
    example: { id: exampleIds.paymentMethod, name: 'Cash', type: 'cash', enabled: true },
  });
export type PaymentMethod = z.infer<typeof PaymentMethod>;

export const PaymentMethodList = z.object(paging);
export const PaymentMethodPage = page(PaymentMethod);

/** The body that creates a payment method. */
export const PaymentMethodCreate = z.object({
  name: Name.meta({ example: 'Cash' }),
  type: PaymentMethodType,
  enabled: z.boolean().default(true),
});
export type PaymentMethodCreate = z.infer<typeof PaymentMethodCreate>;

/** The body that changes a payment method: only the fields that are present. */
export const PaymentMethodUpdate = z.object({
  id: Id,
  name: Name.optional(),
  type: PaymentMethodType.optional(),
  enabled: z.boolean().optional(),
});
export type PaymentMethodUpdate = z.infer<typeof PaymentMethodUpdate>;
