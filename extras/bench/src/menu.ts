/** A product as both sides are given it. */
export interface MenuProduct {
  external_id: string;
  sku: string;
  name: string;
  description: string;
  price: number;
  stock: { enabled: boolean; quantity: number };
  subselections?: {
    external_id: string;
    name: string;
    min_selection: number;
    max_selection: number;
    items: { external_id: string; name: string; price: number }[];
  }[];
}

/** A category with its products. */
export interface MenuCategory {
  external_id: string;
  name: string;
  priority: number;
  products: MenuProduct[];
}

/** A menu of `count` products in twenty categories; every tenth product has a choice of four sizes. */
export function makeMenu(count: number): MenuCategory[] {
  const categories = Array.from({ length: Math.min(20, count) }, (_, index) => ({
    external_id: `c${index}`,
    name: `Category ${String(index).padStart(2, '0')}`,
    priority: index,
    products: [] as MenuProduct[],
  }));
  for (let index = 0; index < count; index += 1) {
    const sized = index % 10 === 0;
    categories[index % categories.length]?.products.push({
      external_id: `p${index}`,
      sku: `SKU-${index}`,
      name: `Product ${String(index).padStart(6, '0')}`,
      description: 'Grilled over wood, with a salad of the season and bread of the day.',
      price: 5 + (index % 400) / 4,
      stock: { enabled: true, quantity: 900_000_000 },
      ...(sized && {
        subselections: [
          {
            external_id: 'size',
            name: 'Size',
            min_selection: 0,
            max_selection: 1,
            items: ['S', 'M', 'L', 'XL'].map((name, index) => ({ external_id: name, name, price: index })),
          },
        ],
      }),
    });
  }
  return categories;
}
