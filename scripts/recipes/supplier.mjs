// A reference: the supplier of a product, one of the same location. It builds on the new resource.
import { suppliers } from './suppliers.mjs';

/** @type {import('./recipe.mjs').Recipe} */
export const supplier = {
  name: 'a reference: products.supplier_id',
  most: 4,
  test: 'supplier/test.txt',
  buildsOn: suppliers,
  places: [
    {
      file: 'prisma/schema.prisma',
      edits: [
        {
          after: '  sku         String\n',
          insert: '  supplierId  String?  @map("supplier_id") @db.Uuid\n',
        },
        {
          before: '  categories    ProductCategory[]\n',
          insert:
            '  supplier      Supplier?         @relation(fields: [locationId, supplierId], references: [locationId, id], onDelete: NoAction)\n',
        },
        { after: '  @@unique([locationId, sku])\n', insert: '  @@index([locationId, supplierId])\n' },
        { after: 'model Supplier {\n', insert: '  products Product[]\n' },
      ],
      missed: 'compiler',
    },
    {
      file: 'packages/db/src/tables/products.ts',
      edits: [
        {
          after: '    image_url: { published: true, edited: true },\n',
          insert: '    supplier_id: { published: true, catalog: true, edited: true },\n',
        },
      ],
      missed: 'compiler',
    },
    {
      file: 'packages/api/src/resources/products/fields.schema.ts',
      edits: [
        { after: 'import { referenceOf', insert: ', refersTo' },
        { before: 'ImageUrl, Money, ShownImageUrl', insert: 'Id, ' },
        {
          after: "  image_url: { shown: ShownImageUrl, given: ImageUrl, column: 'text', fresh: '' },\n",
          insert:
            "  supplier_id: {\n    shown: Id.optional().meta({ description: 'Its supplier.' }),\n    given: refersTo('suppliers', Id).meta({ description: 'Its supplier.' }),\n    column: 'uuid',\n    fresh: null,\n  },\n",
        },
      ],
      missed: 'test',
    },
    {
      file: 'packages/api/src/resources/suppliers/router.ts',
      edits: [
        {
          after: "    rest: ['DELETE /v2/suppliers/{id}'],\n    errors: ['resource_not_found'",
          insert: ", 'conflict'",
        },
      ],
      missed: 'test',
    },
  ],
};
