import { operation, router } from '../../call/operation.ts';
import { ById, Deleted } from '../../wire.ts';
import * as changes from './changes.service.ts';
import {
  ItemCreate,
  ItemUpdate,
  Subselection,
  SubselectionCreate,
  SubselectionItem,
  SubselectionList,
  SubselectionPage,
  SubselectionUpdate,
} from './schema.ts';
import * as subselections from './service.ts';

/** The choices of products one by one, for the typed client; a catalog sync sets them with their product. */
export const subselectionsRouter = router({
  list: operation({
    permission: 'products:read',
    summary: 'List subselections with their options',
    description:
      'By product, then position. `satisfiable: false` lists those that no order can satisfy with the options that they have.',
  })
    .input(SubselectionList)
    .output(SubselectionPage)
    .query(({ ctx, input }) => subselections.list(ctx, input)),

  create: operation({
    permission: 'products:write',
    summary: 'Create a subselection with its options',
    description: 'Refused when no order could satisfy it.',
    errors: ['conflict'],
    tag: 'subselections',
  })
    .input(SubselectionCreate)
    .output(Subselection)
    .mutation(({ ctx, input }) => changes.create(ctx, input)),

  update: operation({
    permission: 'products:write',
    summary: 'Change a subselection',
    description: 'Changes only the fields that are present. Refused when no order could satisfy it.',
    errors: ['resource_not_found', 'conflict'],
    tag: 'subselections',
  })
    .input(SubselectionUpdate)
    .output(Subselection)
    .mutation(({ ctx, input }) => changes.update(ctx, input)),

  delete: operation({
    permission: 'products:write',
    summary: 'Delete a subselection with its options',
    errors: ['resource_not_found'],
    tag: 'subselections',
  })
    .input(ById)
    .output(Deleted)
    .mutation(({ ctx, input }) => changes.remove(ctx, input.id)),
});

/** The options of the choices, one by one. */
export const subselectionItemsRouter = router({
  create: operation({
    permission: 'products:write',
    summary: 'Create an option of a subselection',
    errors: ['conflict'],
    tag: 'subselection_items',
  })
    .input(ItemCreate)
    .output(SubselectionItem)
    .mutation(({ ctx, input }) => changes.createItem(ctx, input)),

  update: operation({
    permission: 'products:write',
    summary: 'Change an option',
    description:
      'Changes only the fields that are present. Refused when no order could satisfy its subselection.',
    errors: ['resource_not_found', 'conflict'],
    tag: 'subselection_items',
  })
    .input(ItemUpdate)
    .output(SubselectionItem)
    .mutation(({ ctx, input }) => changes.updateItem(ctx, input)),

  delete: operation({
    permission: 'products:write',
    summary: 'Delete an option',
    description: 'Refused when no order could satisfy its subselection without it.',
    errors: ['resource_not_found'],
    tag: 'subselection_items',
  })
    .input(ById)
    .output(Deleted)
    .mutation(({ ctx, input }) => changes.removeItem(ctx, input.id)),
});
