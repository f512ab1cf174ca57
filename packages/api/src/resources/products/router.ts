import { operation, router } from '../../call/operation.ts';
import { createdIds, exampleMenu } from '../../examples.ts';
import { Deleted } from '../../wire.ts';
import { Stock } from '../stock/schema.ts';
import {
  Product,
  ProductById,
  ProductCreate,
  ProductGet,
  ProductGetByExternalId,
  ProductList,
  ProductListV1,
  ProductPage,
  ProductPageV1,
  ProductRead,
  ProductUpdate,
} from './schema.ts';
import * as products from './service.ts';

/** Specification: Products, v1 and v2. */
export const productsRouter = router({
  list: operation({
    permission: 'products:read',
    summary: 'List products',
    description:
      'By name, then id. With `updated_since` by the moment of the last change; the answer has a `Link` to follow, again ' +
      'and again: nothing that changes is missed. With `include=deleted` as well, it reports deletions.',
    rest: ['GET /v2/products'],
  })
    .input(ProductList)
    .output(ProductPage)
    .query(({ ctx, input }) => products.list(ctx, input)),

  get: operation({
    permission: 'products:read',
    summary: 'Read a product, with its tax rate on request',
    description: 'With its stock and the categories it is in. Its subselections are in the catalog.',
    rest: ['GET /v2/products/{id}'],
    errors: ['resource_not_found'],
    tag: 'products',
  })
    .input(ProductGet)
    .output(ProductRead)
    .joinedQuery(({ ctx, input }) => products.get(ctx, input.id, input.include)),

  getByExternalId: operation({
    permission: 'products:read',
    summary: 'Read a product by your own identifier',
    description: 'As by id. An `external_id` is percent-encoded in the path.',
    rest: ['GET /v2/products/by-external-id/{external_id}'],
    errors: ['resource_not_found'],
    tag: 'products',
  })
    .input(ProductGetByExternalId)
    .output(ProductRead)
    .query(({ ctx, input }) => products.getByExternalId(ctx, input.external_id, input.include)),

  create: operation({
    permission: 'products:write',
    summary: 'Create a product',
    description: 'Without a category it can be ordered, and is in no catalog.',
    rest: ['POST /v1/products', 'POST /v2/products'],
    status: 201,
    errors: ['conflict'],
    tag: 'products',
    answerExample: { id: createdIds.product, ...exampleMenu.croissant },
  })
    .input(ProductCreate)
    .output(Product)
    .mutation(({ ctx, input }) => products.create(ctx, input)),

  update: operation({
    permission: 'products:write',
    summary: 'Change a product',
    description: 'Changes only the fields that are present; `category_ids` sets the categories.',
    rest: ['PATCH /v1/products/{id}', 'PATCH /v2/products/{id}'],
    errors: ['resource_not_found', 'conflict'],
    tag: 'products',
    answerExample: { price: 175 },
  })
    .input(ProductUpdate)
    .output(Product)
    .joinedMutation(({ ctx, input }) => products.update(ctx, input)),

  delete: operation({
    permission: 'products:write',
    summary: 'Delete a product',
    description: 'Its `external_id` and `sku` are free again; orders keep naming it.',
    rest: ['DELETE /v1/products/{id}', 'DELETE /v2/products/{id}'],
    errors: ['resource_not_found'],
    tag: 'products',
  })
    .input(ProductById)
    .output(Deleted)
    .mutation(({ ctx, input }) => products.remove(ctx, input.id)),

  getStock: operation({
    permission: 'stock:read',
    summary: 'Read the stock of a product',
    description: 'Answers 404 when the product has no stock record.',
    rest: ['GET /v1/products/{id}/stock'],
    errors: ['resource_not_found'],
  })
    .input(ProductById)
    .output(Stock)
    .query(({ ctx, input }) => products.getStock(ctx, input.id)),
});

/** The differences of the first family. */
export const productsV1Router = router({
  list: operation({
    permission: 'products:read',
    summary: 'List products',
    description: 'By name, then id.',
    rest: ['GET /v1/products'],
  })
    .input(ProductListV1)
    .output(ProductPageV1)
    .query(({ ctx, input }) => products.list(ctx, input)),

  get: operation({
    permission: 'products:read',
    summary: 'Read a product',
    description: 'With its stock and the categories it is in.',
    rest: ['GET /v1/products/{id}'],
    errors: ['resource_not_found'],
    tag: 'products',
  })
    .input(ProductById)
    .output(Product)
    .joinedQuery(({ ctx, input }) => products.get(ctx, input.id)),
});
