import { expect, test } from 'vitest';
import { openHand } from '../support/by-hand.ts';
import { runSyncJob } from '../support/sync-jobs.ts';
import { fill, press } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';

const { api, desk } = useDesk();

/** The rows of the history: the author, and each change. */
const history = (page: AppPage) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('article tbody tr')].map((row) => row.querySelectorAll('td')[0].innerText.trim() + ': '
       + [...row.querySelectorAll('.changes li')].map((each) => each.innerText.trim()).join(', '))`,
  );

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
    .poll(() => history(page))
    .toEqual([
      expect.stringMatching(/^ana.*: price: 130(\.00)? → 140(\.00)?$/),
      expect.stringMatching(/^bob.*: price: 120(\.00)? → 130(\.00)?$/),
      expect.stringMatching(/^ERP.*: price: 110(\.00)? → 120(\.00)?$/),
      expect.stringMatching(/^ERP.*: price: 95(\.00)? → 110(\.00)?$/),
      expect.stringMatching(/^ERP.*: name: – → Espresso/),
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
  const links = async () => (await history(page)).filter((each) => each.includes('category_id'));
  await expect
    .poll(links)
    .toEqual([
      `ERP: category_id: ${gone} → –`,
      `ERP: category_id: – → ${gone}`,
      'ERP: category_id: Hot drinks → –',
      'ERP: category_id: – → Hot drinks',
    ]);
  expect(page.complaints).toEqual([]);
});
