import { demoNames } from './demo-examples.ts';

/** The examples of catalog, stock and menus; part of the story of the examples table. */
export function catalogExamples(
  ids: Readonly<Record<'category' | 'product' | 'item', string>>,
  at: (time: string) => string,
): Readonly<Record<string, unknown>> {
  return {
    StockSync: {
      items: [
        { external_id: demoNames.product, quantity: 24, min_stock_alarm: 5 },
        { sku: 'FW-L', quantity: 8 },
      ],
    },
    StockSyncResult: {
      total_items: 2,
      success_items: 1,
      failed_items: 1,
      errors: [{ index: 1, code: 'resource_not_found', message: 'There is no product with sku FW-L.' }],
    },
    Catalog: {
      location_id: '01935a30-55e1-7d4c-8b2a-0f1e2d3c4b5a',
      version: at('21:12:30.250'),
      categories: [
        {
          id: ids.category,
          name: 'Drinks',
          external_id: demoNames.category,
          visible: true,
          products: [
            {
              id: ids.product,
              external_id: demoNames.product,
              sku: demoNames.product,
              name: 'Flat white',
              price: 170,
              visible: true,
              stock: { enabled: true, quantity: 24 },
              subselections: [
                {
                  id: '01935a3d-1f7e-7b08-9c4d-2e5f8a7b6c90',
                  external_id: 'DR-01-1',
                  name: 'Milk',
                  min_selection: 1,
                  max_selection: 1,
                  single: true,
                  items: [
                    {
                      id: ids.item,
                      external_id: demoNames.item,
                      name: 'Oat',
                      price: 35,
                      min: 0,
                      max: 1,
                      visible: true,
                      image_url: 'https://images.example.com/oat.jpg',
                      stock: { enabled: false, quantity: 0 },
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
    CatalogSync: {
      mode: 'upsert',
      categories: [
        {
          external_id: 'CAT-10',
          name: 'Coffee',
          priority: 10,
          products: [
            {
              external_id: 'SKU-1001',
              sku: 'FW-M',
              name: 'Flat White',
              price: 12.5,
              stock: { enabled: true, quantity: 24 },
              subselections: [
                {
                  external_id: 'MILK',
                  name: 'Milk',
                  min_selection: 0,
                  max_selection: 1,
                  items: [{ external_id: 'MILK-OAT', name: 'Oat', price: 2 }],
                },
              ],
            },
          ],
        },
      ],
    },
    CatalogSyncResult: {
      version: at('21:12:30.250'),
      total_items: 4,
      created: 1,
      updated: 1,
      deleted: 0,
      unchanged: 2,
    },
    Menu: {
      id: '01935a41-3b2c-7d4e-8f50-61728394a5b6',
      name: 'Winter',
      version: 3,
      is_published: true,
      categories: [{ id: ids.category, name: 'Drinks' }],
    },
    MenuCreate: { name: 'Winter', category_ids: [ids.category] },
    MenuUpdate: { name: 'Winter evenings' },
  };
}
