// One story runs through every example: the restaurant of the demo data sells a flat white, and adds a croissant. The
// examples themselves are with the schemas that they show.

/**
 * The ids of the examples. The seed gives those with a row in `demoNames` to what the demo data calls so, at each location
 * that has them: a call of the documents finds there what it names.
 */
export const exampleIds = {
  order: '01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d',
  product: '01935a3d-11a0-7c55-8e02-3b1f9d7a6c21',
  category: '01935a3c-90b2-7e01-a1d4-6c0e5f2b8d17',
  item: '01935a3d-22c4-7a63-b7f1-90ad4e6b5c33',
  paymentMethod: '01935a3b-4410-7b9e-9c08-1d2e3f4a5b6c',
  payment: '01935a3e-7c2a-7f48-8a11-c2d3e4f5a6b7',
  turn: '01935a37-0a5c-7b1d-9e2f-3c4d5e6f7a8b',
  settlement: '01935a41-3b7e-7c2d-8f3a-4d5e6f7a8b9c',
  job: '01935a40-0e6d-7a12-b3c4-d5e6f708192a',
  priceChange: '01935a40-5b21-7c83-9d4e-6f7a8b9c0d1e',
  event: '01935a3e-7d90-7c3b-a5e6-f70819203142',
  certification: '01935a42-5d1a-7e60-8b7c-2f4a6c8e0b1d',
  endpoint: '01935a3f-2b7c-7d8e-8f90-a1b2c3d4e5f6',
} as const;

/** The ids of what the examples of creations make. */
export const createdIds = {
  order: '01935a43-6e2b-7f71-8c8d-305b7d9f1c2e',
  product: '01935a43-6f3c-7082-8d9e-416c8ea02d3f',
  category: '01935a43-704d-7193-8eaf-527d9fb13e40',
  payment: '01935a43-6e2c-7a04-9fb0-638eb0c24f51',
} as const;

/** The location of the examples. */
export const exampleLocation = {
  id: '01935a30-55e1-7d4c-8b2a-0f1e2d3c4b5a',
  name: 'Cantina Aurora',
  timezone: 'America/Montevideo',
  currency: 'UYU',
} as const;

/** The demo data's names for the things of the examples: a category, a product and an order by their `external_id`. */
export const demoNames = {
  category: 'drinks',
  product: 'DR-01',
  item: 'DR-01-1-3',
  paymentMethod: 'cash',
  order: 'demo-0045',
  payment: 'payment of demo-0045',
  turn: 'turn 1',
} as const satisfies Partial<Record<keyof typeof exampleIds, string>>;

/** The items that the examples sell and send: of the demo data, and additions to it. */
export const exampleMenu = {
  flatWhite: {
    external_id: demoNames.product,
    sku: demoNames.product,
    name: 'Flat white',
    description: 'Double shot',
    price: 170,
    image_url: 'https://images.example.com/flat-white.jpg',
  },
  oat: { external_id: demoNames.item, name: 'Oat', price: 35 },
  croissant: {
    external_id: 'SKU-2001',
    sku: 'CR-1',
    name: 'Croissant',
    description: 'Baked here, with butter.',
    price: 95,
  },
  cortado: { external_id: 'SKU-1001', sku: 'CO-1', name: 'Cortado', price: 150 },
  lungo: { external_id: 'SKU-1002', name: 'Lungo', price: 140 },
  bakery: { external_id: 'CAT-20', name: 'Bakery', priority: 20 },
  drinks: { external_id: demoNames.category, name: 'Drinks', priority: 60 },
} as const;

/** A moment of the day of the examples, as answers have it: `21:05:09.120`. */
export const exampleTime = (time: string): string => `2026-01-31T${time}-03:00`;
