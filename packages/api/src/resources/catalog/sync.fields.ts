/** What a dry run calls the columns that it compares. */
export const categoryFields = {
  name: 'name',
  priority: 'priority',
  visible: 'visible',
  image_url: 'image_url',
} as const;

export const productFields = {
  sku: 'sku',
  name: 'name',
  description: 'description',
  price: 'price',
  visible: 'visible',
  image_url: 'image_url',
} as const;

export const stockFields = {
  enabled: 'stock.enabled',
  quantity: 'stock.quantity',
  min_stock_alarm: 'stock.min_stock_alarm',
} as const;

export const subselectionFields = {
  name: 'name',
  min_selection: 'min_selection',
  max_selection: 'max_selection',
  single: 'single',
  position: 'position',
} as const;

export const itemFields = {
  name: 'name',
  price: 'price',
  min: 'min',
  max: 'max',
  visible: 'visible',
  image_url: 'image_url',
  position: 'position',
  stock_enabled: 'stock.enabled',
  stock_quantity: 'stock.quantity',
} as const;
