import { demoNames, exampleLocation, exampleMenu as menu } from './demo-examples.ts';

/** The examples of catalog, stock and menus; part of the story of the examples table. */
export function catalogExamples(
  ids: Readonly<Record<'category' | 'product' | 'item', string>>,
  at: (time: string) => string,
): Readonly<Record<string, unknown>> {
  return {
    StockSync: {
      items: [
        { external_id: demoNames.product, quantity: 24, min_stock_alarm: 5 },
        { sku: 'FL-1', quantity: 8 },
      ],
    },
    StockSyncResult: {
      total_items: 2,
      success_items: 1,
      failed_items: 1,
      errors: [{ index: 1, code: 'resource_not_found', message: 'There is no product with sku FL-1.' }],
    },
    Catalog: {
      location_id: exampleLocation.id,
      version: at('21:12:30.250'),
      categories: [
        {
          id: ids.category,
          name: menu.drinks.name,
          external_id: menu.drinks.external_id,
          visible: true,
          products: [
            {
              id: ids.product,
              external_id: menu.flatWhite.external_id,
              sku: menu.flatWhite.sku,
              name: menu.flatWhite.name,
              price: menu.flatWhite.price,
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
                      ...menu.oat,
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
              ...menu.cortado,
              stock: { enabled: true, quantity: 24 },
              subselections: [
                {
                  external_id: 'MILK',
                  name: 'Milk',
                  min_selection: 0,
                  max_selection: 1,
                  items: [{ external_id: 'MILK-SOY', name: 'Soy', price: 30 }],
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
      categories: [{ id: ids.category, name: menu.drinks.name }],
    },
    MenuCreate: { name: 'Winter', category_ids: [ids.category] },
    MenuUpdate: { name: 'Winter evenings' },
  };
}
