import { operation, router } from '../../call/operation.ts';
import { createdIds, exampleMenu } from '../../examples.ts';
import { Deleted } from '../../wire.ts';
import { PriceChange, PricesChanged } from './prices.schema.ts';
import { changePrices } from './prices.service.ts';
import {
  Category,
  CategoryByExternalId,
  CategoryById,
  CategoryCreate,
  CategoryList,
  CategoryPage,
  CategoryUpdate,
} from './schema.ts';
import * as categories from './service.ts';

/** Specification: Categories. */
export const categoriesRouter = router({
  list: operation({
    permission: 'categories:read',
    summary: 'List categories',
    description:
      'By priority, then name, then id, hidden ones too. With `updated_since` by the moment of the last change; the answer ' +
      'has a `Link` to follow, again and again: nothing that changes is missed. With `include=deleted` as well, it ' +
      'reports deletions.',
    rest: ['GET /v2/categories'],
  })
    .input(CategoryList)
    .output(CategoryPage)
    .query(({ ctx, input }) => categories.list(ctx, input)),

  get: operation({
    permission: 'categories:read',
    summary: 'Read a category',
    description: 'With its own fields alone; its products are in the catalog.',
    rest: ['GET /v1/categories/{id}', 'GET /v2/categories/{id}'],
    errors: ['resource_not_found'],
    tag: 'categories',
    conditional: true,
  })
    .input(CategoryById)
    .output(Category)
    .query(({ ctx, input }) => categories.get(ctx, input.id)),

  getByExternalId: operation({
    permission: 'categories:read',
    summary: 'Read a category by your own identifier',
    description: 'As by id. An `external_id` is percent-encoded in the path.',
    rest: ['GET /v2/categories/by-external-id/{external_id}'],
    errors: ['resource_not_found'],
    tag: 'categories',
    conditional: true,
  })
    .input(CategoryByExternalId)
    .output(Category)
    .query(({ ctx, input }) => categories.getByExternalId(ctx, input.external_id)),

  create: operation({
    permission: 'categories:write',
    summary: 'Create a category',
    description: 'It is empty; products name their categories.',
    rest: ['POST /v1/categories', 'POST /v2/categories'],
    status: 201,
    errors: ['conflict'],
    tag: 'categories',
    answerExample: { id: createdIds.category, ...exampleMenu.bakery },
  })
    .input(CategoryCreate)
    .output(Category)
    .mutation(({ ctx, input }) => categories.create(ctx, input)),

  update: operation({
    permission: 'categories:write',
    summary: 'Change a category',
    description: 'Changes only the fields that are present.',
    rest: ['PATCH /v2/categories/{id}'],
    errors: ['resource_not_found', 'conflict'],
    tag: 'categories',
    answerExample: { name: 'Hot drinks', priority: 5 },
  })
    .input(CategoryUpdate)
    .output(Category)
    .mutation(({ ctx, input }) => categories.update(ctx, input)),

  delete: operation({
    permission: 'categories:write',
    summary: 'Delete a category',
    description: 'Its products stay, without the category.',
    rest: ['DELETE /v2/categories/{id}'],
    errors: ['resource_not_found'],
    tag: 'categories',
  })
    .input(CategoryById)
    .output(Deleted)
    .mutation(({ ctx, input }) => categories.remove(ctx, input.id)),

  changePrices: operation({
    permission: 'products:write',
    summary: 'Change the prices of a category',
    description:
      'By an amount or a percentage, all of its products or none. A dry run shows them; its `seen` keeps the change from being another one.',
    // It reads every product of the category, and names each in its answer.
    apart: true,
    errors: ['resource_not_found', 'conflict'],
  })
    .input(PriceChange)
    .output(PricesChanged)
    .mutation(({ ctx, input }) => changePrices(ctx, input)),
});
