// A new resource: the suppliers of a location, with create, list, read, update, delete, events and permissions.

const folder = 'packages/api/src/resources/suppliers';

/** @type {import('./recipe.mjs').Recipe} */
export const suppliers = {
  name: 'a new resource: suppliers',
  most: 9,
  test: 'suppliers/test.txt',
  rows: {
    file: 'tests/db/audited-rows.ts',
    edits: [
      {
        before: '  `insert into webhook_endpoints (',
        insert:
          "  `insert into suppliers (location_id, name) select $1, 'Supplier ' || n from generate_series(1, $2::int) n`,\n",
      },
    ],
  },
  places: [
    {
      file: 'prisma/schema.prisma',
      edits: [
        { after: 'model Location {\n', insert: '  suppliers Supplier[]\n' },
        {
          insert: `
/// A business that delivers products.
model Supplier {
  locationId String   @map("location_id") @db.Uuid
  id         String   @default(dbgenerated("uuid_v7()")) @db.Uuid
  externalId String?  @map("external_id")
  name       String
  phone      String?
  createdAt  DateTime @default(now()) @map("created_at") @db.Timestamptz(3)
  updatedAt  DateTime @default(now()) @map("updated_at") @db.Timestamptz(3)

  location Location @relation(fields: [locationId], references: [id], onDelete: Cascade)

  @@id([locationId, id])
  @@unique([locationId, externalId])
  @@index([locationId, name, id])
  @@map("suppliers")
  @@schema("public")
}
`,
        },
      ],
      missed: 'compiler',
    },
    {
      file: 'packages/db/src/tables/suppliers.ts',
      from: 'suppliers/table.txt',
      missed: 'compiler',
    },
    {
      file: 'packages/db/src/tables/index.ts',
      edits: [
        { before: 'import { syncJobs } from', insert: "import { suppliers } from './suppliers.ts';\n" },
        { before: '  Product: products,\n', insert: '  Supplier: suppliers,\n' },
      ],
      missed: 'compiler',
    },
    {
      file: 'packages/api/src/permissions.ts',
      edits: [
        {
          after: "  'menus:read': 'read the active menu',\n",
          insert:
            "  'suppliers:read': 'list and read suppliers',\n  'suppliers:write': 'create, update and delete suppliers',\n",
        },
      ],
      missed: 'compiler',
    },
    {
      file: 'packages/api/src/resources/events/types.schema.ts',
      edits: [
        {
          before: 'import { Turn } from',
          insert: "import { DeletedSupplier, Supplier } from '../suppliers/schema.ts';\n",
        },
        {
          before: "  'sync.completed': row('Operations'",
          insert:
            "  'supplier.created': row('Catalog', 'a supplier was created', Supplier, 'suppliers:read'),\n" +
            "  'supplier.updated': row('Catalog', 'a supplier changed', Supplier, 'suppliers:read'),\n" +
            "  'supplier.deleted': row('Catalog', 'a supplier was deleted', DeletedSupplier, 'suppliers:read'),\n",
        },
      ],
      missed: 'test',
    },
    {
      file: `${folder}/schema.ts`,
      from: 'suppliers/schema.txt',
      missed: 'compiler',
    },
    {
      file: `${folder}/service.ts`,
      from: 'suppliers/service.txt',
      missed: 'compiler',
    },
    {
      file: `${folder}/router.ts`,
      from: 'suppliers/router.txt',
      missed: 'compiler',
    },
    {
      file: 'packages/api/src/router.ts',
      edits: [
        {
          before: 'import { syncJobsRouter } from',
          insert: "import { suppliersRouter } from './resources/suppliers/router.ts';\n",
        },
        { after: '  stock: stockRouter,\n', insert: '  suppliers: suppliersRouter,\n' },
      ],
      missed: 'test',
    },
  ],
};
