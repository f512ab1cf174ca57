import { z } from 'zod';
import { onlyIn } from '../../families.ts';
import { list } from '../../lists.ts';
import { decimalsKey, onlyIf } from '../../schema-words.ts';
import { Name } from '../../texts.ts';
import { ExternalId, Money, TaxRate, Timestamp, TimestampFilter, text } from '../../wire.ts';

// What an order carries beside its lines: whom it is for, and what changes its total. Contract: 13.10 to 13.12.

const note = { description: 'A remark on the whole order.', example: 'Ring twice' };
const promised = 'When it is to be ready, as the guest was told.';
const guests = { description: 'How many people eat.', example: 2 };

const customer = {
  name: Name.optional().meta({ description: 'The name of the person or company.', example: 'Ana Silva' }),
  phone: text(0, 255).optional().meta({ description: 'A telephone number.', example: '+598 99 000 000' }),
  email: text(0, 255).optional().meta({ description: 'An email address.', example: 'ana@example.com' }),
  tax_id: text(0, 255).optional().meta({ description: 'The number that the customer pays taxes under.' }),
};

/** Whom an order is for. */
export const Customer = z
  .object(customer)
  .meta({ id: 'Customer', description: 'Whom the order is for.', example: { name: 'Ana Silva' } });

const delivery = {
  lines: list(text(0, 199).regex(/^[^\n]*$/, 'must be one line'), 5)
    .optional()
    .meta({ description: 'Street, house, apartment: a line each.', example: ['Av. Italia 2345', 'Apto. 4'] }),
  city: text(0, 255).optional().meta({ description: 'The town.', example: 'Montevideo' }),
  postal_code: text(0, 255).optional().meta({ description: 'The postal code.', example: '11300' }),
  country: text(0, 2).optional().meta({ description: 'ISO 3166-1, two letters.', example: 'UY' }),
  note: text(0, 1_000).optional().meta({ description: 'How to find the door.' }),
};

/** Where an order goes. */
export const DeliveryAddress = z.object(delivery).meta({
  id: 'DeliveryAddress',
  description: 'Where the order goes.',
  example: { lines: ['Av. Italia 2345'] },
});

/** What an adjustment is. A discount subtracts, the others add. */
export const AdjustmentKind = z
  .enum(['discount', 'service_charge', 'tip', 'delivery_fee'])
  .meta({ id: 'AdjustmentKind', description: 'A discount subtracts, the others add.' });
export type AdjustmentKind = z.infer<typeof AdjustmentKind>;

const Percent = TaxRate.meta({ description: 'Percent, at most 4 decimals.', example: 10, [decimalsKey]: 4 });

const adjustment = {
  kind: AdjustmentKind,
  name: Name.meta({ description: 'What the receipt calls it.', example: 'Happy hour' }),
  amount: Money.optional().meta({ description: 'How much; or `percent`.' }),
  percent: Percent.optional().meta({
    description:
      'How much of the sum of the lines, less the discounts of lines; of a discount of a line, of that line. Or `amount`.',
  }),
  line: z.int().min(1, 'must be at least 1').max(200, 'must be at most 200').optional().meta({
    description:
      'The line that a discount is of: its `line_id`, which is its place from 1 on in a new order; the whole order without it.',
    example: 1,
  }),
  external_id: ExternalId.optional().meta({ description: 'Your identifier of it.' }),
  tax_rate: TaxRate.optional(),
};

/** A discount, service charge, tip or fee to create. */
export const AdjustmentCreate = z
  .object(adjustment)
  .superRefine(({ kind, amount, percent, line }, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if ((amount === undefined) === (percent === undefined))
      issue('amount', 'must be given, or percent: exactly one of them');
    if (line !== undefined && kind !== 'discount') issue('line', 'only a discount may be of a line');
  })
  .meta({
    id: 'AdjustmentCreate',
    description: 'What changes the total of an order: `amount` or `percent`.',
    example: { kind: 'discount', name: 'Happy hour', percent: 10, line: 1 },
    ...onlyIf({ oneOf: [{ required: ['amount'] }, { required: ['percent'] }] }),
  });
export type AdjustmentCreate = z.infer<typeof AdjustmentCreate>;

/** The same as it was computed. */
export const Adjustment = z
  .object({
    ...adjustment,
    total: z.number().meta({
      description: 'What it adds to the total of the order; below zero for a discount.',
      example: -3,
    }),
  })
  .meta({
    id: 'Adjustment',
    description: 'What changed the total of an order.',
    example: { kind: 'discount', name: 'Happy hour', percent: 10, line: 1, total: -3 },
  });
export type Adjustment = z.infer<typeof Adjustment>;

/** The fields of a creation. */
export const carriedCreate = {
  customer: Customer.optional(),
  delivery: DeliveryAddress.optional(),
  note: text(0, 1_000).optional().meta(note),
  promised_at: TimestampFilter.optional().meta({ description: promised }),
  guests: z.int().min(1, 'must be 1 to 10000').max(10_000, 'must be 1 to 10000').optional().meta(guests),
  adjustments: list(AdjustmentCreate, 20)
    .optional()
    .meta({ description: 'Discounts, service charges, tips and fees, at most 20.' }),
};

/** The fields that v2 shows of each order; absent unless given. */
export const carried = onlyIn('v2', {
  note: z.string().optional().meta(note),
  promised_at: Timestamp.optional().meta({ description: promised }),
  guests: z.int().optional().meta(guests),
  adjustments: z
    .array(Adjustment)
    .optional()
    .meta({ description: 'Discounts, service charges, tips and fees, part of `total`.' }),
});

const withCustomer = 'With `customer`, and the permission `customers:read`';

/** The fields that `include=customer` adds. */
export const personal = {
  customer: Customer.optional().meta({ description: `${withCustomer}: whom the order is for.` }),
  delivery: DeliveryAddress.optional().meta({ description: `${withCustomer}: where it goes.` }),
};
