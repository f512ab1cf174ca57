import { expect } from 'vitest';
import { type Browser, seriousFindings } from '../../../tests/browser/browser.ts';

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

/** The sizes that pages are looked at. */
export const sizes = [
  { name: 'a desktop', width: 1280, height: 900 },
  { name: 'a phone', width: 390, height: 844 },
];

/** That a page can be read at each size, complains of nothing but being a page that is not there, and asks no other host. */
export async function readsWell(browser: Browser, url: string): Promise<void> {
  const { page, complaints, hosts } = await openPage(browser);
  await page.goto(url, { waitUntil: 'networkidle0' });
  for (const { name, ...size } of sizes) {
    await page.setViewport(size);
    // A menu that slides or fades has other colors on the way.
    await page.waitForFunction('document.getAnimations().length === 0');
    expect((await seriousFindings(page)).join('; '), name).toBe('');
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width, name).toBeLessThanOrEqual(size.width);
  }
  expect(complaints.filter((text) => !url.endsWith('/nope') || !text.includes('404'))).toEqual([]);
  expect([...hosts]).toEqual([new URL(url).host]);
  await page.close();
}
