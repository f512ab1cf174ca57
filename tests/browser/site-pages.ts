import type { Browser, Page } from './browser.ts';

/** A page of the documents that is looked at. */
export interface Looked {
  page: Page;
  /** Its warnings and errors: of its policy, too. */
  complaints: string[];
  /** The hosts that it asked. */
  hosts: Set<string>;
  /** The addresses that it asked, in their order. */
  asked: string[];
}

/** Opens an empty page, and notes what it complains of and whom it asks. */
export async function openPage(browser: Browser): Promise<Looked> {
  const page = await browser.newPage();
  const looked: Looked = { page, complaints: [], hosts: new Set(), asked: [] };
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
