// A new field: the barcode of a product, through create, read, update, list, products job, catalog sync, catalog, events and
// documents.

/** @type {import('./recipe.mjs').Recipe} */
export const barcode = {
  name: 'a new field: products.barcode',
  most: 3,
  test: 'barcode/test.txt',
  places: [
    {
      file: 'prisma/schema.prisma',
      edits: [{ after: '  sku         String\n', insert: '  barcode     String?\n' }],
      missed: 'compiler',
    },
    {
      file: 'packages/db/src/tables/products.ts',
      edits: [
        {
          after: '    image_url: { published: true, edited: true },\n',
          insert: '    barcode: { published: true, catalog: true, edited: true },\n',
        },
      ],
      missed: 'compiler',
    },
    {
      file: 'packages/api/src/resources/products/fields.schema.ts',
      edits: [
        { after: 'ShownName, TaxRate', insert: ', text' },
        {
          after: "  image_url: { shown: ShownImageUrl, given: ImageUrl, column: 'text', fresh: '' },\n",
          insert:
            "  barcode: {\n    shown: z.string().optional().meta({ description: 'The code on its package.' }),\n    ...{ given: text(1, 64).meta({ description: 'The code on its package.' }), column: 'text', fresh: null },\n  },\n",
        },
      ],
      missed: 'test',
    },
  ],
};
