// The needs of suites before their files run: packages by lockfiles of their own, and settings for the tests.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSite } from '../../extras/site/src/build.mjs';
import { installGenerator } from '../../extras/site/src/generator.mjs';
import { installApart } from '../apart.mjs';
import { findChromium } from './chromium.mjs';
import { isInChromium } from './table.mjs';

const tests = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'tests');

const installReact18 = (signal) => installApart(join(tests, 'bundlers/react-18'), 'React 18', signal);

/**
 * What the tests of a suite need in addition to Chromium, by the name of the suite.
 * @type {Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>>}
 */
const preparations = {
  browser: installReact18,
  site: (signal) => buildSite({ signal }),
  async bundlers(signal) {
    for (const name of ['floor', 'newest'])
      await installApart(join(tests, 'bundlers', name), `the bundlers, with the ${name} of tRPC`, signal);
    await installApart(join(tests, 'bundlers/next'), 'Next.js, for the front', signal);
    await installReact18(signal);
    await installApart(join(tests, 'bundlers/typescript-5.0'), 'TypeScript 5.0', signal);
  },
  async outside(signal) {
    await installApart(join(tests, 'outside/node-red'), 'Node-RED', signal);
    await installApart(join(tests, 'outside/inspector'), 'the inspector of MCP, and its Node', signal);
  },
  async tools(signal) {
    await installApart(
      join(tests, 'tools'),
      'the tools of tests/tools (the first time takes a minute)',
      signal,
    );
  },
};

/**
 * Prepares a suite, and gives the environment of its tests.
 * @param {import('./table.mjs').Suite} suite @param {AbortSignal} signal @returns {Promise<Record<string, string>>}
 * @throws {Error} when it needs Chromium, and this machine has none
 */
export async function prepare(suite, signal) {
  await preparations[suite.name]?.(signal);
  if (!isInChromium(suite)) return {};
  const chromium = findChromium();
  if (chromium === '') throw new Error(`the suite ${suite.name} needs ${suite.needs}`);
  // What drives the browser is among its packages.
  await installGenerator(signal);
  return { COMANDA_CHROMIUM: chromium };
}
