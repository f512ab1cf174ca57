import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installApart, isInstalled } from '../../../scripts/apart.mjs';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** The folder of the site: its generator, and the tools of the browser tests, by a lockfile of their own. */
export const site = join(root, 'extras/site/generator');

/** Installs what extras/site/generator/package-lock.json names, unless it is there. */
export const installGenerator = (signal) => installApart(site, 'the generator of the site', signal);

/** Whether it is installed. */
export const hasGenerator = () => isInstalled(site);
