import { z } from 'zod';
import { exampleIds, exampleTime } from '../../examples.ts';
import { list } from '../../lists.ts';
import { decimalsKey, exactlyOne, onlyIf } from '../../schema-words.ts';
import { typedAs } from '../../typed-as.ts';
import { byId, Id, Money, ProductId, page, paging, Timestamp, TimestampFilter } from '../../wire.ts';
import {
  ProductNameForms,
  productName,
  productNames,
  refuseSameName,
  refuseUnnamed,
} from '../bulk/named-products.schema.ts';
import { PricePercent } from '../categories/prices.schema.ts';

const PriceChangeStatus = z.enum(['planned', 'applied', 'skipped', 'canceled']).meta({
  description: 'applied: at least one price was set; skipped: none was.',
});

const SkipReason = z.enum(['price_changed', 'product_deleted', 'not_in_category', 'price_too_large']).meta({
  description:
    'Why a price was skipped. price_changed: somebody changed the price after the planning, or made the product then; not_in_category: the ' +
    'product left the category; price_too_large: the percentage makes more than the largest price.',
});

const PlannedPrice = z
  .object({ ...productName, price: Money })
  .superRefine(refuseUnnamed)
  .meta({
    id: 'PlannedPrice',
    description:
      'The new price of one product: exactly one of `product_id`, `external_id` and `sku` names it.',
    ...onlyIf(exactlyOne(...productNames)),
  });

const PlannedPriceForms = z.object({ price: Money }).and(ProductNameForms);

/** The prices to plan, by product or by category. */
export const PriceChangeCreate = z
  .object({
    effective_at: TimestampFilter.meta({
      description: 'When the prices change, ISO 8601 with offset or Z. A moment in the past is now.',
      example: '2030-01-01T00:00:00-03:00',
    }),
    prices: list(typedAs(PlannedPrice, PlannedPriceForms), 'max_items_per_batch')
      .min(1, 'must hold at least one price')
      .optional()
      .meta({ description: 'The new prices. At most `max_items_per_batch` of the key.' }),
    category_id: Id.optional().meta({ example: exampleIds.category }),
    percent: PricePercent.optional().meta({
      description: 'The change of each price of the category, rounded half away from zero to 2 decimals.',
      example: 10,
      [decimalsKey]: 2,
    }),
  })
  .superRefine(({ prices, category_id, percent }, context) => {
    const byCategory = category_id !== undefined && percent !== undefined;
    const isMixed = prices !== undefined && (category_id !== undefined || percent !== undefined);
    if (isMixed || (prices === undefined && !byCategory))
      context.addIssue({ code: 'custom', message: 'must have either prices, or category_id and percent' });
    refuseSameName('prices', prices ?? [], context);
  })
  .meta({
    id: 'PriceChangeCreate',
    description: 'Prices to plan: either `prices`, or `category_id` and `percent`.',
    example: {
      effective_at: '2030-01-01T00:00:00-03:00',
      prices: [{ product_id: exampleIds.product, price: 180 }],
    },
    ...onlyIf(exactlyOne('prices', 'category_id'), {
      dependentRequired: { category_id: ['percent'], percent: ['category_id'] },
    }),
  });
export type PriceChangeCreate = z.infer<typeof PriceChangeCreate>;

/** A planned price with its outcome. */
export const PriceOutcome = z
  .object({
    product_id: ProductId,
    before: Money.meta({ description: 'The price when the change was planned.' }),
    price: Money.optional().meta({
      description: 'The new price; of a percentage once it is applied.',
    }),
    status: PriceChangeStatus.meta({ description: 'The outcome for this product.' }),
    reason: SkipReason.optional(),
  })
  .meta({ id: 'PriceOutcome', description: 'A planned price with its outcome.' });

const examplePrice = { product_id: exampleIds.product, before: 170, price: 180 };

/** The fields by which a canceled one differs from the example. */
export const canceledExample = {
  status: 'canceled',
  prices: [{ ...examplePrice, status: 'canceled' }],
  ended_at: exampleTime('21:15:00.000'),
};

const summary = {
  id: Id.meta({ example: exampleIds.priceChange }),
  status: PriceChangeStatus,
  effective_at: Timestamp,
  category_id: Id.optional().meta({ description: 'The category whose prices change.' }),
  percent: z.number().optional().meta({ description: 'The change of each of its prices.' }),
  total_prices: z.int().meta({ description: 'How many products it has.' }),
  applied_prices: z.int().meta({ description: 'How many prices were set.' }),
  skipped_prices: z.int().meta({ description: 'How many prices were skipped.' }),
  created_at: Timestamp,
  ended_at: Timestamp.optional().meta({
    description: 'When it was applied, skipped or canceled.',
    example: exampleTime('21:10:00.093'),
  }),
};

const example = {
  id: exampleIds.priceChange,
  status: 'planned',
  effective_at: '2030-01-01T00:00:00.000-03:00',
  total_prices: 1,
  applied_prices: 0,
  skipped_prices: 0,
  created_at: exampleTime('21:10:00.000'),
};

/** Planned prices and their outcome. */
export const PlannedPriceChange = z
  .object({ ...summary, prices: z.array(PriceOutcome).meta({ description: 'Every product.' }) })
  .meta({
    id: 'PlannedPriceChange',
    description: 'Prices that change at a planned moment.',
    example: { ...example, prices: [{ ...examplePrice, status: 'planned' }] },
  });
export type PlannedPriceChange = z.infer<typeof PlannedPriceChange>;

/** The input of an operation on one. */
export const PriceChangeById = byId(exampleIds.priceChange);

export const PriceChangeList = z.object(paging);
export type PriceChangeList = z.infer<typeof PriceChangeList>;

/** The same in a list. */
export const ListedPriceChange = z.object(summary).meta({
  id: 'ListedPriceChange',
  description: 'Planned prices in a list: read one for its prices.',
  example,
});
export type ListedPriceChange = z.infer<typeof ListedPriceChange>;

export const PriceChangePage = page(ListedPriceChange);
