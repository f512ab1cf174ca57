import type { Browser } from './browser.ts';

/** Opens an empty page, as another visitor; its warnings and errors, also of its policy, and the hosts and addresses that it asks. */
export async function openPage(browser: Browser) {
  const context = await browser.createBrowserContext();
  const page = Object.assign(await context.newPage(), { close: () => context.close() });
  const looked = { page, complaints: [] as string[], hosts: new Set<string>(), asked: [] as string[] };
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') looked.complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => looked.complaints.push(message));
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol === 'data:') return;
    looked.hosts.add(host);
    looked.asked.push(request.url());
  });
  return looked;
}

/** The sizes that the pages are looked at. */
export const sizes = [
  { name: 'a desktop', width: 1280, height: 900 },
  { name: 'a phone', width: 390, height: 844, isMobile: true },
];
