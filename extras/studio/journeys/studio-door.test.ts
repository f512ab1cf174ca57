import { beforeAll, expect } from 'vitest';
import { type Page, useBrowser } from '../../../tests/browser/browser.ts';
import { journey } from '../../../tests/browser/journey.ts';
import { startTestApi } from '../../../tests/support/api.ts';
import { listening } from '../../../tests/support/listening.ts';
import { useOrderKitchen } from '../../../tests/support/orders.ts';
import { use, useClosed } from '../../../tests/support/use.ts';
import { useWorkerKit } from '../../../tests/worker/kit.ts';
import { startStudio } from '../tests/run.ts';
import { sitDown } from './admin.ts';
import { linkOf } from './guide.ts';
import { soon } from './recipes.ts';

// Access to Studio, and the writes and deletions that its page never allows.

const kit = useWorkerKit();
const studio = useClosed(() => startStudio(kit.url, ['--as', 'ana', '--edit']));
const api = useClosed(() => startTestApi({ databaseUrl: kit.url, encryptionKey: kit.encryptionKey }));
const kitchen = useOrderKitchen(api);
const browser = useBrowser();
const ana = use(() => sitDown(browser, studio));

beforeAll(async () => {
  await kitchen.place();
  await api.make.product({ name: 'Espresso', sku: 'ES-1', price: 3.5 });
});

const one = async (sql: string, values: unknown[] = []) => (await kit.sql(sql, values))[0];

journey('access to Studio, and what its page never writes', (check) => {
  const stored = (table: string, column: string, of: string) =>
    one(`select ${column} as value from ${table} where ${of} = (select id from products where sku = 'ES-1')`);

  for (const [text, sentence] of [
    ['', 'price: an empty cell is no number. Write 0 for zero. Nothing was changed.'],
    ['12,50', 'price: decimals follow a point, not a comma. Write 12.50 for 12,50. Nothing was changed.'],
    [
      'abc',
      'price: "abc" is no number. Write digits, and a point before decimals: 12.50. Nothing was changed.',
    ],
  ] as const)
    check(
      `a cell of a number that becomes "${text}" is refused in the page, and nothing is sent`,
      async () => {
        const before = await stored('products', 'price', 'id');
        await ana.open('#schema=public&table=products&search=ES-1');
        await ana.shows('sku', ['ES-1']);
        await ana.edit('price');
        await ana.write(text);
        await ana.sees(sentence);
        await ana.shows('price', [before?.value]);
        expect(await ana.text()).not.toContain('Save 1 row');
        expect(await stored('products', 'price', 'id')).toEqual(before);
      },
    );

  check('a cell of the stock was emptied, and the product sold out', async () => {
    await kit.sql(
      `insert into product_stock (location_id, product_id, enabled, quantity)
       select location_id, id, true, 3 from products where sku = 'ES-1'`,
    );
    const { id } = (await one(`select id from products where sku = 'ES-1'`)) ?? {};
    await ana.open(`#schema=public&table=product_stock&search=${id}`);
    await ana.edit('quantity');
    await ana.write('');
    await ana.sees('quantity: an empty cell is no number');
    expect(await stored('product_stock', 'quantity::int', 'product_id')).toEqual({ value: 3 });
  });

  check('a cell of a number that may be empty is emptied', async () => {
    await ana.open('#schema=public&table=api_keys');
    const [name = ''] = await ana.column('name');
    await ana.edit('per_minute');
    await ana.write('77');
    await ana.save();
    await soon(() => one('select per_minute from api_keys where name = $1', [name])).toEqual({
      per_minute: 77,
    });
    await ana.open('#schema=public&table=api_keys');
    await ana.edit('per_minute');
    await ana.write('');
    await ana.save();
    await soon(() => one('select per_minute from api_keys where name = $1', [name])).toEqual({
      per_minute: null,
    });
  });

  for (const [table, sentence] of [
    ['orders', 'an order is never deleted: set its status to canceled'],
    ['webhook_endpoints', 'a webhook endpoint is not deleted here: set its status to disabled'],
    ['payments', 'an order is never without its payment: reject the payment, or cancel the order'],
  ] as const)
    check(`rows of ${table} had a button that deletes them`, async () => {
      await kit.sql(
        `insert into webhook_endpoints (location_id, url, events) values ($1, 'https://shop.example/hook', '{order.created}')`,
        [api.locationId],
      );
      await ana.open(`#schema=public&table=${table}`);
      await ana.mark();
      await ana.sees(sentence);
      expect(await ana.text()).not.toMatch(/Delete \d+ row/);
    });

  const shown = (page: Page, text: string) =>
    page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`, { timeout: 15_000 });
  const grid = (page: Page) => page.waitForSelector('td[data-grid-column-id]', { timeout: 15_000 });

  check('a server on another port of this machine got what opens Studio', async () => {
    const heard: string[] = [];
    const other = await listening((request, response) => {
      heard.push(JSON.stringify([request.url, request.rawHeaders]));
      response.setHeader('content-type', 'text/html').end('<title>Other</title>');
    });
    const { port } = new URL(other.url);
    const admin = await sitDown(browser, studio);
    const token = await admin.page.evaluate<string>(`sessionStorage.getItem('studio.token')`);
    for (const link of [`http://127.0.0.1:${port}/link`, `http://localhost:${port}/link`])
      await admin.page.goto(link).catch(() => {});
    await admin.page.goto(`http://127.0.0.1:${port}/again`);
    expect(heard.length).toBeGreaterThan(1);
    const held = await admin.page.evaluate<string>(
      `JSON.stringify([document.cookie, document.referrer, Object.values(sessionStorage), Object.values(localStorage)])`,
    );
    for (const text of [...heard, held]) {
      expect(text).not.toContain(token);
      expect(text).not.toMatch(/studio|cookie|code=/i);
    }
    await admin.page.close();
    await other.close();
  });

  check('a reload put the tab out, and the code stayed in the address', async () => {
    const admin = await sitDown(browser, studio);
    await grid(admin.page);
    expect(await admin.page.evaluate<string>('location.href')).not.toContain('code=');
    await admin.page.evaluate('location.reload()');
    await grid(admin.page);
    await admin.page.close();
  });

  check('a link of the guide opened a tab that was out, while another is in', async () => {
    const page = await browser.newPage();
    await page.goto(`${studio.origin}/${linkOf('Find an order by its number')}`);
    await grid(page);
    await page.close();
  });

  check('another browser is out, reads how it comes in, and comes in where it wanted to be', async () => {
    const other = await browser.createBrowserContext();
    const page = await other.newPage();
    await page.setViewport({ width: 1_600, height: 900 });
    await page.goto(`${studio.origin}/#schema=public&table=products`);
    await shown(page, 'this tab is not in, or asked for nothing in 8 hours: open the last address');
    const paste = async (text: string) => {
      await page.evaluate(`document.querySelector('.entrance input').value = ''`);
      await page.type('.entrance input', text);
      await page.click('.entrance button');
    };
    await paste('http://127.0.0.1:5555/');
    await shown(page, 'This is no address of npm run studio');
    await paste(`${studio.origin}/#code=${'x'.repeat(43)}`);
    await shown(page, 'this address was used, or is not the last one');
    await paste(await studio.address());
    await grid(page);
    expect(await page.evaluate<string>('location.hash')).toContain('table=products');
    await other.close();
  });

  check('an address that is opened in the tab itself lets it in', async () => {
    const other = await browser.createBrowserContext();
    const page = await other.newPage();
    await page.goto(studio.origin);
    await shown(page, 'this tab is not in');
    await page.evaluate(`location.href = ${JSON.stringify(await studio.address())}`);
    await grid(page);
    expect(await page.evaluate<string>('location.href')).not.toContain('code=');
    await other.close();
  });
});
