import { expect, onTestFinished, test, vi } from 'vitest';
import { waitFor } from '../support/wait.ts';
import { press, says } from './actions.ts';
import { type AppPage, useDesk } from './app.ts';

const { api, desk } = useDesk();

/** The page with the files of products. */
async function files(options: Parameters<typeof desk>[1] = {}): Promise<AppPage> {
  const page = await desk('products', options);
  await page.waitForSelector('a[href="/app/desk/products/csv"]');
  await page.evaluate(`document.querySelector('a[href="/app/desk/products/csv"]').click()`);
  await page.waitForSelector('article h2');
  return page;
}

/** Chooses a file of that text. */
async function choose(page: AppPage, text: string): Promise<void> {
  await page.waitForSelector('input[type=file]');
  await page.evaluate(`{
    const files = new DataTransfer();
    files.items.add(new File([${JSON.stringify(text)}], 'products.csv'));
    const input = document.querySelector('input[type=file]');
    input.files = files.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }`);
}

/** The file that is saved by a press of that button, with its mark. */
async function saved(page: AppPage, button: string): Promise<string> {
  const making = vi.spyOn(URL, 'createObjectURL');
  onTestFinished(() => making.mockRestore());
  await press(page, button);
  const [file] = await waitFor('the file', () => making.mock.calls[0]);
  if (!(file instanceof Blob)) throw new Error('no file was saved');
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await file.arrayBuffer());
}

const product = (name: string, more: object = {}) => api.make.product({ name, price: 95, ...more });
const now = (id: string) => api.client().products.get.query({ id });
const called = async (name: string) =>
  (await api.client().products.list.query({ search: name, limit: 10 })).data;

test('prices of many products were changed one by one, or by SQL', async () => {
  const category = await api.make.category({ name: 'Hot drinks' });
  const tea = await product('Tea', { sku: 'TEA', stock: { enabled: true, quantity: 3 } });
  const cola = await product('Cola', { sku: 'COLA' });
  const page = await files();
  await choose(
    page,
    '\uFEFFsku;name;price;stock;categories\r\nTEA;Tea;99,90;12,5;Hot drinks\r\nCOLA;Cola;95;;\r\nMATE;Mate;50;;\r\n',
  );
  await says(page, '1 new, 1 changed, 1 as they are.');
  await says(page, 'price: 95 → 99.9');
  // Nothing is written before it is asked for.
  expect(await now(tea)).toMatchObject({ price: 95, stock: { quantity: 3 }, categories: [] });
  expect(await called('Mate')).toEqual([]);
  await press(page, 'Write these');
  await says(page, '2 products were written.');
  expect(await now(tea)).toMatchObject({
    price: 99.9,
    stock: { quantity: 12.5 },
    categories: [{ id: category }],
  });
  expect(await now(cola)).toMatchObject({ price: 95 });
  expect(await called('Mate')).toMatchObject([{ sku: 'MATE', price: 50 }]);
  // The same file again writes nothing.
  await choose(page, 'sku;name;price;stock;categories\nTEA;Tea;99,90;12,5;Hot drinks\nMATE;Mate;50;;');
  await says(page, '0 new, 0 changed, 2 as they are.');
  expect(await page.text()).not.toContain('Write these');
  expect(page.complaints).toEqual([]);
});

test('a file with a mistake writes nothing, and the mistake has a line and a column', async () => {
  const id = await product('Juice', { sku: 'JUICE' });
  const page = await files();
  await choose(page, 'sku,price,categories\nJUICE,80,\nJUICE2,twelve,Nowhere');
  await says(page, 'The file is not taken');
  const rows = await page.evaluate<string[]>(
    `[...document.querySelectorAll('tbody tr')].map((each) => [...each.children].map(({ innerText }) => innerText.trim()).join(' · '))`,
  );
  expect(rows).toEqual([
    '3 · price · “twelve” is no price: 12.50 or 12,50.',
    '3 · categories · There is no category “Nowhere”.',
  ]);
  expect(await page.text()).not.toContain('Write these');
  expect(await now(id)).toMatchObject({ price: 95 });
  await choose(page, 'sku,price\nJUICE,"80');
  await says(page, 'A quote is not closed');
});

test('a product that was changed since it was shown is reported, and not written over', async () => {
  const cake = await product('Cake', { sku: 'CAKE' });
  const pie = await product('Pie', { sku: 'PIE' });
  const page = await files();
  await choose(page, 'sku,price\nCAKE,100\nPIE,100');
  await says(page, '0 new, 2 changed');
  await api.client().products.update.mutate({ id: cake, price: 70 });
  // Of another column: both are kept.
  await api.client().products.update.mutate({ id: pie, name: 'Apple pie' });
  await press(page, 'Write these');
  await says(page, '1 product was written.');
  await says(page, 'Someone else changed it meanwhile. Now there: price: 70');
  expect(await now(cake)).toMatchObject({ price: 70 });
  expect(await now(pie)).toMatchObject({ price: 100, name: 'Apple pie' });
});

test('identifiers that a spreadsheet has rewritten are confirmed, each kind, before anything is written', async () => {
  const first = await product('Zero', { sku: '00077' });
  const page = await files();
  await choose(page, 'sku,name,price\n77,Zero,80\n1.23E+18,Long,1');
  await says(page, 'It differs from an existing one by leading zeros alone. There is “00077”.');
  await says(page, 'A spreadsheet has shortened it.');
  const isHeld = () =>
    page.evaluate(
      `[...document.querySelectorAll('button')].find((each) => each.innerText === 'Write these').disabled`,
    );
  const confirm = (at: number) =>
    page.evaluate(`document.querySelectorAll('article input[type=checkbox]')[${at}].click()`);
  expect(await isHeld()).toBe(true);
  await confirm(0);
  expect(await isHeld()).toBe(true);
  await confirm(1);
  await expect.poll(isHeld).toBe(false);
  await press(page, 'Write these');
  await says(page, '2 products were written.');
  expect(await called('Zero')).toHaveLength(2);
  expect(await now(first)).toMatchObject({ price: 95 });
  expect(page.complaints).toEqual([]);
});

test('a downloaded file has no formula, and read again it changes nothing', async () => {
  await product('=HYPERLINK("http://x")', { sku: '+SUM', description: '@now\n-1' });
  const page = await files();
  const text = await saved(page, 'Download all products');
  expect(text.startsWith('\uFEFFid,external_id,sku,name,')).toBe(true);
  expect(text).toContain(`'=HYPERLINK(""http://x"")`);
  expect(text).toContain(`'+SUM`);
  expect(text).not.toMatch(/(^|[,;\n"])[=+@]/);
  await choose(page, text);
  await says(page, '0 new, 0 changed');
  expect(page.complaints).toEqual([]);
});

test('the desk speaks Spanish, and its file has semicolons', async () => {
  const page = await files({ language: 'es' });
  expect(await saved(page, 'Descargar todos los productos')).toMatch(/^\uFEFFid;external_id;sku/);
  await choose(page, 'precio\n1');
  await says(page, 'No existe esa columna.');
});
