import { startTestApi } from '../support/api.ts';
import { useClosed } from '../support/use.ts';
import { useBrowser } from './browser.ts';
import { journey } from './journey.ts';
import { readsWell } from './site-pages.ts';

const api = useClosed(() => startTestApi());
const browser = useBrowser();

const paths = ['', 'guides/orders', 'guides/deprecation', 'errors', 'reference/v2/orders-create', 'nope'];

journey('before the site is built, every page reads well, and complains of nothing', (check) => {
  for (const path of paths) check(`/docs/${path}`, () => readsWell(browser, `${api.url}/docs/${path}`));
});
