import { z } from 'zod';
import { Id, page, paging, ReferenceId } from '../../wire.ts';

const minSelection = { description: 'The least that must be chosen, quantities added up.' };
const maxSelection = { description: 'The most that may be chosen, quantities added up.' };
const single = { description: 'Whether one of the options may be chosen at most, in any quantity.' };
const min = { description: 'How many of it at least, once it is chosen.' };
const max = { description: 'How many of it at most.' };

/** An option, as the typed client reads it. */
export const SubselectionItem = z.object({
  id: Id,
  subselection_id: Id,
  external_id: z.string().optional(),
  name: z.string(),
  price: z.number(),
  min: z.int().meta(min),
  max: z.int().meta(max),
  visible: z.boolean(),
  image_url: z.string(),
  position: z.int(),
  stock: z.object({ enabled: z.boolean(), quantity: z.number() }),
});
export type SubselectionItem = z.infer<typeof SubselectionItem>;

/** A subselection with its options, as the typed client reads it. */
export const Subselection = z.object({
  id: Id,
  product_id: Id,
  product_name: z.string().meta({ description: 'The name of the product that it belongs to.' }),
  external_id: z.string().optional(),
  name: z.string(),
  min_selection: z.int().meta(minSelection),
  max_selection: z.int().meta(maxSelection),
  single: z.boolean().meta(single),
  position: z.int(),
  selectable: z.int().meta({
    description:
      'How many units an order line can choose at most, whatever the stock and the visibility of its options. Below ' +
      '`min_selection` every order of the product is refused.',
  }),
  items: z.array(SubselectionItem),
});
export type Subselection = z.infer<typeof Subselection>;

/** The filters of the list. */
export const SubselectionList = z.object({
  ...paging,
  product_id: ReferenceId.optional(),
  satisfiable: z.boolean().optional().meta({
    description: '`false`: those that no order can satisfy; `true`: all others.',
    example: false,
  }),
});
export type SubselectionList = z.infer<typeof SubselectionList>;

export const SubselectionPage = page(Subselection);
