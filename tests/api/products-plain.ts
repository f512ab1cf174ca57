import type { Prisma, PrismaTransaction } from '@comanda/db/prisma';

/** The expected page of products: the total, and the text of its array, as plain Prisma finds them. */
export async function plainProducts(
  tx: PrismaTransaction,
  locationId: string,
  { limit, offset }: { limit: number; offset: number },
  filters: Prisma.ProductWhereInput,
): Promise<{ total: number; text: string }> {
  const where = { locationId, ...filters };
  const rows = await tx.product.findMany({
    where,
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    skip: offset,
    take: limit,
    include: {
      stock: true,
      categories: {
        include: { category: true },
        orderBy: [{ category: { priority: 'asc' } }, { category: { name: 'asc' } }, { categoryId: 'asc' }],
      },
    },
  });
  const plain = rows.map(({ id, externalId, sku, name, description, price, visible, imageUrl, ...more }) => ({
    id,
    ...(externalId !== null && { external_id: externalId }),
    sku,
    name,
    description,
    price: price.toNumber(),
    visible,
    image_url: imageUrl,
    stock: {
      enabled: more.stock?.enabled ?? false,
      quantity: more.stock?.quantity.toNumber() ?? 0,
      min_stock_alarm: more.stock?.minStockAlarm.toNumber() ?? 0,
    },
    categories: more.categories.map(({ category }) => ({ id: category.id, name: category.name })),
  }));
  return { total: await tx.product.count({ where }), text: JSON.stringify(plain) };
}
