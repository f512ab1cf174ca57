// The needs of suites before their files run: packages by lockfiles of their own, and settings for the tests.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installApart } from '../apart.mjs';
import { findChromium } from '../chromium.mjs';
import { buildSite } from '../site/build.mjs';

const tests = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'tests');

const installReact18 = (signal) => installApart(join(tests, 'bundlers/react-18'), 'React 18', signal);

/**
 * By the name of the suite: prepares it, and gives the environment of its tests.
 * @type {Readonly<Record<string, (signal: AbortSignal) => Promise<Record<string, string>>>>}
 */
const preparations = {
  async browser(signal) {
    const chromium = findChromium();
    if (chromium === '') console.error('No Chromium is on this machine: the tests in a browser are not run.');
    await buildSite({ signal });
    await installReact18(signal);
    return { COMANDA_CHROMIUM: chromium };
  },
  async bundlers(signal) {
    for (const name of ['floor', 'newest'])
      await installApart(join(tests, 'bundlers', name), `the bundlers, with the ${name} of tRPC`, signal);
    await installApart(join(tests, 'bundlers/next'), 'Next.js, for the front', signal);
    await installReact18(signal);
    await installApart(join(tests, 'bundlers/typescript-5.0'), 'TypeScript 5.0', signal);
    return {};
  },
  async tools(signal) {
    await installApart(
      join(tests, 'tools'),
      'the tools of tests/tools (the first time takes a minute)',
      signal,
    );
    return {};
  },
};

/** Prepares a suite, and gives the environment of its tests. @param {string} name @param {AbortSignal} signal */
export const prepare = async (name, signal) => preparations[name]?.(signal) ?? {};
