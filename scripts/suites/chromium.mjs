// The Chromium of this machine, if it has one: our packages neither bring nor download a browser.
import { existsSync } from 'node:fs';
import { installGenerator } from '../../extras/site/src/generator.mjs';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path in COMANDA_CHROMIUM, or the one where Debian and others put it; '' for none. */
export const findChromium = () =>
  process.env.COMANDA_CHROMIUM ?? usual.find((path) => existsSync(path)) ?? '';

/** Lets this process start it (tests/browser/browser.ts), with the tools installed with the site's generator. Returns whether there is one. */
export async function prepareBrowser(signal) {
  process.env.COMANDA_CHROMIUM = findChromium();
  if (process.env.COMANDA_CHROMIUM === '') return false;
  await installGenerator(signal);
  return true;
}
