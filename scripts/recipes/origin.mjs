// A field of one family: the origin of a product, which the paths of v2, the typed client and the feed have, and v1 has not.

/** @type {import('./recipe.mjs').Recipe} */
export const origin = {
  name: 'a field of one family: products.origin',
  most: 3,
  test: 'origin/test.txt',
  places: [
    {
      file: 'prisma/schema.prisma',
      edits: [{ after: '  sku         String\n', insert: '  origin      String?\n' }],
      missed: 'compiler',
    },
    {
      file: 'packages/db/src/tables/products.ts',
      edits: [
        {
          after: '    image_url: { published: true, edited: true },\n',
          insert: '    origin: { published: true, catalog: true, edited: true },\n',
        },
      ],
      missed: 'compiler',
    },
    {
      file: 'packages/api/src/resources/products/fields.schema.ts',
      edits: [
        {
          after: "  image_url: { shown: ShownImageUrl, given: ImageUrl, column: 'text', fresh: '' },\n",
          insert: `  origin: {
    shown: z.string().optional().meta({ description: 'Where it comes from.' }),
    given: text(1, 64).meta({ description: 'Where it comes from.' }),
    ...{ column: 'text', fresh: null, only: 'v2' },
  },
`,
        },
      ],
      missed: 'test',
    },
  ],
};
