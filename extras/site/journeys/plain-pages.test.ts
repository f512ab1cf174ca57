import { useBrowser } from '../../../tests/browser/browser.ts';
import { journey } from '../../../tests/browser/journey.ts';
import { startTestApi } from '../../../tests/support/api.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { readsWell } from './site-pages.ts';

const api = useClosed(() => startTestApi());
const browser = useBrowser();

const paths = ['', 'guides/orders', 'guides/deprecation', 'errors', 'reference/v2/orders-create', 'nope'];

journey('before the site is built, every page reads well, and complains of nothing', (check) => {
  for (const path of paths) check(`/docs/${path}`, () => readsWell(browser, `${api.url}/docs/${path}`));
});
