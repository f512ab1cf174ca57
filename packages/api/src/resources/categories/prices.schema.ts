import { z } from 'zod';
import { Id, largestDecimal, Money } from '../../wire.ts';
import { CategoryById } from './schema.ts';

/** A percentage by which prices change. */
export const PricePercent = z
  .number()
  .min(-100, 'must be at least -100')
  .max(1_000, 'must be at most 1000')
  .refine((value) => value !== 0, { error: 'must not be 0' })
  .refine((value) => Number(value.toFixed(2)) === value, { error: 'must have at most 2 decimals' })
  .meta({ description: 'Of each price, rounded half away from zero to 2 decimals.', example: 10 });

/** How the prices of a category change, and whether that is only looked at. */
export const PriceChange = z
  .object({
    ...CategoryById.shape,
    amount: z
      .number()
      .min(-largestDecimal, `must be at least ${-largestDecimal}`)
      .max(largestDecimal, `must be at most ${largestDecimal}`)
      .refine((value) => value !== 0, { error: 'must not be 0' })
      .refine((value) => Number(value.toFixed(2)) === value, { error: 'must have at most 2 decimals' })
      .optional()
      .meta({ description: 'Added to each price, or taken from it below zero.', example: 5 }),
    percent: PricePercent.optional(),
    dry_run: z
      .boolean()
      .optional()
      .meta({ description: 'Answers what would be written and writes nothing.' }),
    seen: z.string().optional().meta({
      description:
        'The `seen` of the dry run: refused with `changed_since` where a price or a product is another now.',
    }),
  })
  .refine(({ amount, percent }) => (amount === undefined) !== (percent === undefined), {
    error: 'must have exactly one of amount and percent',
  })
  .meta({ id: 'PriceChange', example: { percent: 10 } });
export type PriceChange = z.infer<typeof PriceChange>;

/** The prices before and after, by product. */
export const PricesChanged = z
  .object({
    products: z.array(z.object({ id: Id, name: z.string(), before: Money, after: Money })).meta({
      description: 'Every product of the category by name, then id; one whose price stays has it twice.',
    }),
    seen: z.string().meta({ description: 'Names the products and their prices before.' }),
  })
  .meta({ id: 'PricesChanged', description: 'The outcome of a change of prices.' });
export type PricesChanged = z.infer<typeof PricesChanged>;
