import { z } from 'zod';
import { list } from '../../lists.ts';
import { CatalogId, Name, NewCatalogId } from '../../texts.ts';
import { Id, ImageUrl, Money, page, paging, Quantity, ReferenceId } from '../../wire.ts';

/** A bound of a subselection or an option, in units. */
export const Units = z
  .int()
  .min(0, 'must not be negative')
  .max(2_147_483_647, 'must be at most 2147483647')
  .meta({ example: 1 });

/** The most subselections of a product, and the most options of a subselection. */
export const most = { subselections: 50, items: 100 } as const;

const Position = z
  .int()
  .min(-1_000_000_000, 'must be -1000000000 to 1000000000')
  .max(1_000_000_000, 'must be -1000000000 to 1000000000')
  .meta({
    description:
      'Its place among its siblings, 0 the first. Those at this place and after it move up by one; a place beyond the end is the last.',
    example: 0,
  });

const Place = z
  .int()
  .meta({ description: 'Its place among its siblings, as the catalog shows them: 0 is the first.' });
const Etag = z.string().meta({
  description:
    'Its entity tag, for `expected` of a change. It moves with everything that a change can set, and not with stock.',
});

const Stock = z
  .object({ enabled: z.boolean(), quantity: Quantity })
  .meta({ description: 'The remaining stock; counted only when enabled.' });

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
  position: Place,
  stock: z.object({ enabled: z.boolean(), quantity: z.number() }),
  etag: Etag,
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
  position: Place,
  selectable: z.int().meta({
    description:
      'How many units an order line can choose at most, without regard to stock and visibility. Below ' +
      '`min_selection` every order of the product is refused.',
  }),
  etag: Etag,
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

const given = {
  external_id: NewCatalogId.optional().meta({
    description: "The caller's own identifier, unique within its product.",
    example: 'MILK',
  }),
  name: Name.meta({ example: 'Milk' }),
  min_selection: Units.meta({ ...minSelection, example: 0 }),
  max_selection: Units.meta({ ...maxSelection, example: 2 }),
};

const givenItem = {
  external_id: NewCatalogId.optional().meta({
    description: "The caller's own identifier, unique within its subselection.",
    example: 'OAT-MILK',
  }),
  name: Name.meta({ example: 'Oat milk' }),
  price: Money,
  min: Units.optional().meta({ description: `${min.description} 0 when left out.`, example: 0 }),
  max: Units.optional().meta({ description: "The subselection's max_selection when left out." }),
  visible: z.boolean().default(true),
  image_url: ImageUrl.optional(),
  stock: Stock.optional(),
};

/** An option of a subselection that is made with it, in the order sent. */
export const NewItem = z.object(givenItem);
export type NewItem = z.infer<typeof NewItem>;

/** A subselection to make, with its options. */
export const SubselectionCreate = z
  .object({
    product_id: Id,
    ...given,
    single: z
      .boolean()
      .optional()
      .meta({
        description: `${single.description} Whether max_selection is 1, when left out.`,
      }),
    position: Position.optional().meta({
      description: 'Its place among its siblings, 0 the first; the last when left out.',
    }),
    items: list(NewItem, most.items, `must hold at most ${most.items} items`).meta({
      description: 'Its options; as many as `min_selection` requires.',
    }),
  })
  .meta({ id: 'SubselectionCreate' });
export type SubselectionCreate = z.infer<typeof SubselectionCreate>;

/** The change of a subselection: only the fields that are present. */
export const SubselectionUpdate = z
  .object({
    id: Id,
    external_id: CatalogId.nullable().optional(),
    name: given.name.optional(),
    min_selection: given.min_selection.optional(),
    max_selection: given.max_selection.optional(),
    single: z.boolean().optional(),
    position: Position.optional(),
  })
  .meta({ id: 'SubselectionUpdate' });
export type SubselectionUpdate = z.infer<typeof SubselectionUpdate>;

/** An option to make. */
export const ItemCreate = z
  .object({
    subselection_id: Id,
    ...givenItem,
    position: Position.optional().meta({
      description: 'Its place among its siblings, 0 the first; the last when left out.',
    }),
  })
  .meta({ id: 'SubselectionItemCreate' });
export type ItemCreate = z.infer<typeof ItemCreate>;

/** The change of an option: only the fields that are present. */
export const ItemUpdate = z
  .object({
    id: Id,
    external_id: CatalogId.nullable().optional(),
    name: givenItem.name.optional(),
    price: Money.optional(),
    min: Units.optional(),
    max: Units.optional(),
    visible: z.boolean().optional(),
    image_url: ImageUrl.nullable().optional(),
    stock: Stock.optional(),
    position: Position.optional(),
  })
  .meta({ id: 'SubselectionItemUpdate' });
export type ItemUpdate = z.infer<typeof ItemUpdate>;
