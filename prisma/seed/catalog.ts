import { newId, type PrismaTransaction } from '@comanda/db';
import { menu } from './menu.ts';

/** What orders are made of: the products as they were seeded. */
export interface SeededProduct {
  id: string;
  name: string;
  price: number;
  choices: { min: number; items: { id: string; name: string; price: number }[] }[];
}

/** Writes the menu: categories, products, choices, stock, and a published menu that shows them all. */
export async function seedCatalog(tx: PrismaTransaction, locationId: string): Promise<SeededProduct[]> {
  const seeded: SeededProduct[] = [];
  const categoryIds: string[] = [];
  for (const [position, category] of menu.entries()) {
    const categoryId = newId();
    categoryIds.push(categoryId);
    const { externalId, name } = category;
    await tx.category.create({
      data: { locationId, id: categoryId, externalId, name, priority: (position + 1) * 10 },
    });
    for (const { sku, description, price, stock, choices = [], ...product } of category.products) {
      const id = newId();
      const subselections = choices.map((choice, index) => ({
        id: newId(),
        externalId: `${sku}-${index + 1}`,
        name: choice.name,
        minSelection: choice.min,
        maxSelection: choice.max,
        single: choice.max === 1,
        position: index,
        items: choice.options.map(([option, optionPrice], place) => ({
          id: newId(),
          externalId: `${sku}-${index + 1}-${place + 1}`,
          name: option,
          price: optionPrice,
          position: place,
        })),
      }));
      await tx.product.create({
        data: {
          locationId,
          id,
          sku,
          externalId: sku,
          name: product.name,
          description,
          price,
          categories: {
            create: { category: { connect: { locationId_id: { locationId, id: categoryId } } } },
          },
          ...(stock !== undefined && { stock: { create: { quantity: stock, minStockAlarm: 5 } } }),
          subselections: {
            create: subselections.map((choice) => ({ ...choice, items: { create: choice.items } })),
          },
        },
      });
      seeded.push({
        id,
        name: product.name,
        price,
        choices: subselections.map(({ minSelection, items }) => ({ min: minSelection, items })),
      });
    }
  }
  await tx.menu.create({
    data: {
      locationId,
      id: newId(),
      name: 'All day',
      version: 1,
      isPublished: true,
      publishedAt: new Date(),
      categories: {
        create: categoryIds.map((id, position) => ({
          position,
          category: { connect: { locationId_id: { locationId, id } } },
        })),
      },
    },
  });
  return seeded;
}
