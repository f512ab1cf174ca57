// A new field: the barcode of a product, through create, read, update, list, products job, catalog sync, catalog, events and
// documents.

/** @type {import('./recipe.mjs').Recipe} */
export const barcode = {
  name: 'a new field: products.barcode',
  most: 5,
  test: 'barcode/test.txt',
  places: [
    {
      file: 'prisma/schema.prisma',
      edits: [{ after: '  sku         String\n', insert: '  barcode     String?\n' }],
      missed: 'compiler',
    },
    {
      file: 'prisma/sql/watched.sql',
      edits: [
        { after: "'external_id*^ sku*^ name*^ description price* visible* image_url", insert: ' barcode*' },
      ],
      missed: 'test',
    },
    {
      file: 'packages/api/src/resources/products/fields.schema.ts',
      edits: [
        {
          after: "  image_url: { shown: z.string(), given: ImageUrl, column: 'text', fresh: '' },\n",
          insert:
            "  barcode: { shown: z.string().optional(), given: text(1, 64), column: 'text', fresh: null },\n",
        },
      ],
      missed: 'test',
    },
  ],
};
