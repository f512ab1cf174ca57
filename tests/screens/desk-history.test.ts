import { expect, test } from 'vitest';
import { openHand } from '../support/by-hand.ts';
import { runSyncJob } from '../support/sync-jobs.ts';
import { fill, press, sentences } from './actions.ts';
import { useDesk } from './app.ts';

const { api, desk } = useDesk();

/** A product that an ERP made. */
async function espresso(name: string) {
  const { key } = await api.make.key({ name: 'ERP' });
  const erp = api.client(key);
  const made = { external_id: name, name, description: '', price: 95, category_ids: [] };
  return { erp, id: (await erp.products.create.mutate(made)).id };
}

test('the author of a price, changed by any means, could be found by the command line alone', async () => {
  const { erp, id } = await espresso('Espresso');
  await erp.products.update.mutate({ id, price: 110 });
  const item = { external_id: 'Espresso', name: 'Espresso', price: 120 };
  await erp.syncJobs.startProducts.mutate({ items: [item], mode: 'upsert', idempotencyKey: 'prices' });
  await runSyncJob(api.app.database, api.locationId);
  const hand = await openHand(api.databaseUrl, 'admin');
  await hand.sql(`set application_name = 'bob'`);
  await hand.sql('update products set price = 130 where id = $1', [id]);
  await hand.close();
  const page = await desk(`products/${id}`);
  await fill(page, 'Price', '140');
  await press(page, 'Save');
  await expect
    .poll(() => sentences(page))
    .toEqual([
      'ana changed the price of Espresso from $130.00 to $140.00',
      'bob changed the price of Espresso from $120.00 to $130.00',
      'ERP changed the price of Espresso from $110.00 to $120.00',
      'ERP changed the price of Espresso from $95.00 to $110.00',
      expect.stringMatching(/^ERP made the product Espresso:.*the name “Espresso”.*the price \$95\.00/),
    ]);
  expect(page.complaints).toEqual([]);
});

test('a category that a product was moved to was an id in its history', async () => {
  const { erp, id } = await espresso('Mate');
  const category = await api.make.category({ name: 'Hot drinks' });
  const gone = await api.make.category({ name: 'Gone' });
  await erp.products.update.mutate({ id, category_ids: [category] });
  await erp.products.update.mutate({ id, category_ids: [gone] });
  await erp.products.update.mutate({ id, category_ids: [] });
  await erp.categories.delete.mutate({ id: gone });
  const page = await desk(`products/${id}`);
  const links = async () => (await sentences(page)).filter((each) => each.includes('category'));
  await expect
    .poll(links)
    .toEqual([
      `ERP took Mate out of a category:the category ${gone}`,
      `ERP put Mate into a category:the category ${gone}`,
      'ERP took Mate out of a category:the category Hot drinks',
      'ERP put Mate into a category:the category Hot drinks',
    ]);
  expect(page.complaints).toEqual([]);
});
