import { expect } from 'vitest';
import { useBrowser } from '../../../tests/browser/browser.ts';
import { journey } from '../../../tests/browser/journey.ts';
import { createProduct } from '../../../tests/support/factories.ts';
import { use, useClosed } from '../../../tests/support/use.ts';
import { useWorkerKit } from '../../../tests/worker/kit.ts';
import { startStudio } from '../tests/run.ts';
import { type Admin, sitDown } from './admin.ts';

// Two admins who edit one row in Studio: Ana's grid was read before Bob saved.

const kit = useWorkerKit();
const ofAna = useClosed(() => startStudio(kit.url, ['--as', 'ana', '--edit']));
const ofBob = useClosed(() => startStudio(kit.url, ['--as', 'bob', '--edit']));
const browser = useBrowser();
const ana = use(() => sitDown(browser, ofAna));
const bob = use(() => sitDown(browser, ofBob));

/** A product of 95, in the grids of both. */
async function product(name: string): Promise<string> {
  const id = await createProduct(kit.database, { locationId: kit.locationId, name, price: 95 });
  for (const admin of [ana, bob]) {
    await admin.page.bringToFront();
    await admin.open(`#schema=public&table=products&search=${name}`);
    await admin.shows('name', [name]);
  }
  return id;
}

async function edits(admin: Admin, column: string, text: string): Promise<string> {
  await admin.page.bringToFront();
  await admin.edit(column);
  await admin.write(text);
  return admin.save();
}

/** The question before Ana's edit is saved, which is answered with no. */
async function questionOf(): Promise<string> {
  const dialog = `document.querySelector('[role="alertdialog"]')`;
  await ana.page.click('button::-p-text(Save)');
  await ana.page.waitForFunction(`${dialog} !== null`);
  const asked = await ana.page.evaluate<string>(`${dialog}.innerText`);
  await ana.page.evaluate(
    `[...${dialog}.querySelectorAll('button')].find((each) => each.textContent.includes('no, keep editing')).click()`,
  );
  await ana.page.waitForFunction(`${dialog} === null`);
  return asked;
}

const rowOf = async (id: string) =>
  (await kit.sql('select price::float, description from products where id = $1', [id]))[0];

journey('two admins edit one row', (check) => {
  check(
    'the second of two admins who changed one value overwrote it, and saw nothing of the first',
    async () => {
      const id = await product('Scone');
      await edits(bob, 'price', '140');
      await expect.poll(() => rowOf(id)).toMatchObject({ price: 140 });
      await edits(ana, 'price', '150');
      await ana.sees('products.price: another person changed it from "95" to "140", and you typed 150.');
      expect(await rowOf(id)).toMatchObject({ price: 140 });
      // As the sentence says: after the round arrow the question has the value that is there now, and hers is written.
      await ana.page.click('button[aria-label="Refresh table"]');
      await expect.poll(questionOf, { timeout: 40_000 }).toContain('price: "140" → 150.');
      await ana.save();
      await expect.poll(() => rowOf(id), { timeout: 20_000 }).toMatchObject({ price: 150 });
      const entries = await kit.sql(
        `select application_name as by from audit_entries where resource_id = $1 and operation = 'update' order by created_at`,
        [id],
      );
      expect(entries).toEqual([{ by: 'bob' }, { by: 'ana' }]);
    },
  );

  check('other columns of the row are no conflict: both edits are kept', async () => {
    const id = await product('Muffin');
    await edits(bob, 'price', '140');
    await expect.poll(() => rowOf(id)).toMatchObject({ price: 140 });
    await edits(ana, 'description', 'With blueberries');
    await expect
      .poll(() => rowOf(id), { timeout: 20_000 })
      .toEqual({ price: 140, description: 'With blueberries' });
  });
});
