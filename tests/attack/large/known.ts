/** Bodies that once stopped the service, as `nameOf` writes them: they are sent in every run. */
export const known = [
  // 13 s for every location, then 500.
  ['stock.sync', 'POST /v2/stock/sync: an array of {} as .items, 8 MiB'],
  // 16 s, then 500.
  ['stock.sync', 'POST /v2/stock/sync: unknown names as members of the whole of it, 8 MiB, handling=strict'],
  [
    'products.create',
    'POST /v2/products: unknown names as members of the whole of it, 1 MiB, handling=strict',
  ],
  // 500 each: faults were spread into arguments.
  ['products.create', 'POST /v2/products: an array of 0 as .category_ids, 1 MiB'],
  ['orders.create', 'POST /v2/orders: an array of 0 as .items[0].subselections, 1 MiB'],
  ['orders.quote', 'POST /v2/orders/quote: an array of 0 as .items[0].subselections, 1 MiB'],
  ['stock.sync', 'POST /v2/stock/sync: an array of its own item as .items, 8 MiB'],
  // 500: the name could not be percent-encoded.
  ['products.create', 'POST /v2/products: names of surrogates as members of the whole of it, 1 MiB'],
  // 0.7 to 1.3 s and 600 MiB: options of products were not counted.
  [
    'catalog.sync',
    'POST /v2/catalog/sync: an array of its items, each with all that it may hold as .categories[0].products, 8 MiB',
  ],
  // 0.4 s with 8 MiB: a line of an order could name any number of options.
  ['orders.create', 'tRPC orders.create: an array of its own item as .items[0].subselections, 1 MiB'],
] as const;
