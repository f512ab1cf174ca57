import { operation, router } from '../../call/operation.ts';
import { ById } from '../../wire.ts';
import { MenuCopied, MenuCopy } from './copy.schema.ts';
import { copy } from './copy.service.ts';
import { Menu, MenuCreate, MenuUpdate } from './schema.ts';
import * as menus from './service.ts';

/** Specification: Active menu; contract, section 8: what only the typed client has. */
export const menusRouter = router({
  getActive: operation({
    permission: 'menus:read',
    summary: 'Read the active menu',
    description: 'The published one, without hidden categories. Answers 404 when none is.',
    rest: ['GET /v2/menus/active'],
    errors: ['resource_not_found'],
    tag: 'menus',
  })
    .output(Menu)
    .query(({ ctx }) => menus.getActive(ctx)),

  create: operation({ permission: 'menus:write', summary: 'Create a menu', tag: 'menus' })
    .input(MenuCreate)
    .output(Menu)
    .mutation(({ ctx, input }) => menus.create(ctx, input)),

  update: operation({
    permission: 'menus:write',
    summary: 'Change a menu',
    description: 'Changes only the fields that are present.',
    errors: ['resource_not_found'],
    tag: 'menus',
  })
    .input(MenuUpdate)
    .output(Menu)
    .mutation(({ ctx, input }) => menus.update(ctx, input)),

  publish: operation({
    permission: 'menus:write',
    summary: 'Publish a menu',
    description: 'Its version counts up; the menu that was published is so no more.',
    errors: ['resource_not_found'],
    tag: 'menus',
  })
    .input(ById)
    .output(Menu)
    .mutation(({ ctx, input }) => menus.publish(ctx, input.id)),

  copy: operation({
    permission: 'menus:write',
    summary: 'Copy the menu of another location',
    description:
      'Categories, products, options and menus of the location of `from_key`, all in one transaction, to that of the caller, whose key ' +
      'needs `catalog:sync`, too. A row of the caller is matched by its external_id, SKU or name. Nothing is deleted, and stock is not copied.',
    // It reads both menus, and decides from all of it.
    apart: true,
    errors: ['conflict'],
  })
    .input(MenuCopy)
    .output(MenuCopied)
    .mutation(({ ctx, input }) => copy(ctx, input)),
});
