// Takes the pictures of the admin's guide: docs/pictures/studio-*.png. Run npm start, then npm run studio, then
// node extras/studio/picture.mjs '<the address that it printed>'; COMANDA_CHROMIUM names another browser than Debian's.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { launch } = createRequire(join(root, 'extras/site/generator/package.json'))('puppeteer-core');
const entrance = new URL(process.argv[2] ?? '');
const browser = await launch({
  executablePath: process.env.COMANDA_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
});
const page = await browser.newPage();
await page.setViewport({ width: 1280, height: 560 });
const row = 'td[data-grid-row-index="0"]';
const shown = () => page.waitForSelector(row, { timeout: 30_000 });
const picture = (name) => page.screenshot({ path: join(root, `docs/pictures/studio-${name}.png`) });

await page.goto(entrance.href);
await shown();
await picture('orders-today');

const closed = {
  kind: 'ColumnFilter',
  id: 'c',
  column: 'status',
  operator: '=',
  value: 'closed',
  after: 'and',
};
const filter = JSON.stringify({ kind: 'FilterGroup', id: 'g', after: 'and', filters: [closed] });
await page.goto('about:blank');
await page.goto(`${entrance.origin}/#schema=public&table=orders&filter=${encodeURIComponent(filter)}`);
await shown();
await page.click(`${row}[data-grid-column-id="status"]`);
await page.keyboard.press('Enter');
await page.click('[data-studio-cell-editor] button::-p-text(pending)');
await page.keyboard.press('Enter');
await page.click('button::-p-text(Save)');
await page.waitForSelector('[role="alertdialog"]');
await page.click('[role="alertdialog"] button::-p-text(yes, write to db)');
await page.waitForSelector('[data-sonner-toast][data-mounted="true"]');
// It slides in.
await new Promise((resolve) => setTimeout(resolve, 1_000));
await picture('refusal');
await browser.close();
