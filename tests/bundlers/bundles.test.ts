import { copyFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build as esbuild } from 'esbuild';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { unpackBeside, usePublished } from '../client/outside.ts';
import { createKey, createLocation, createProduct } from '../support/factories.ts';
import { usePublishingApi } from '../support/published.ts';
import { bundlers, runAsPage } from './bundles.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const api = usePublishingApi();
const tools = join(repositoryRoot, 'tests/bundlers/newest');
const folder = usePublished((built, into) => unpackBeside(tools, built, into));
const vector = JSON.parse(
  readFileSync(join(repositoryRoot, 'examples/verify-webhook/vector.json'), 'utf8'),
) as Record<'secret' | 'id' | 'timestamp' | 'signature' | 'body', string>;

beforeAll(() => copyFileSync(join(repositoryRoot, 'tests/bundlers/entry.js'), join(folder, 'entry.js')));

/** The input of the script; a location of its own for each. */
async function surroundings() {
  const locationId = await createLocation(api.app.database);
  const { key } = await createKey(api.app.database, { locationId });
  await createProduct(api.app.database, { locationId, name: 'Flat White', price: 12.5 });
  const { secret, id, timestamp, signature, body } = vector;
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  return { url: api.url, key, secret, headers, body, now: Number(timestamp) * 1000 };
}

const done = {
  names: ['Flat White'],
  made: 'Tea',
  reason: 'not_found',
  event: vector.id,
  live: 'product.created',
};

describe('both entries of the client', () => {
  it.each(Object.entries(bundlers))(
    'become a script for browsers with %s, without a warning',
    async (_, bundle) => {
      const { script, warnings } = await bundle(folder, tools);
      expect(warnings).toEqual([]);
      expect(script).not.toMatch(/node:crypto|require\(["']/);
      expect(await runAsPage(script, await surroundings())).toEqual(done);
    },
  );

  it('run in an edge runtime', async () => {
    const { EdgeVM } = createRequire(join(tools, 'package.json'))('@edge-runtime/vm') as {
      EdgeVM: new () => { evaluate<Result>(script: string): Result };
    };
    const { script } = await (bundlers.esbuild ?? expect.fail())(folder, tools);
    const vm = new EdgeVM();
    vm.evaluate(script);
    const result = vm.evaluate<Promise<object>>(`work(${JSON.stringify(await surroundings())})`);
    expect({ ...(await result) }).toEqual(done);
  });

  const bundleOf = async (contents: string) => {
    const { outputFiles } = await esbuild({
      stdin: { contents, resolveDir: folder },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
      external: ['react'],
    });
    return outputFiles[0]?.contents ?? expect.fail('nothing was written');
  };
  const compressed = async (contents: string) => gzipSync(await bundleOf(contents)).length;
  const client = `export { comandaError, createClient } from '@comanda/client';`;
  const shared = `${client} export * from '@comanda/client/shared';`;

  it('are small: 10 KB compressed with tRPC, 11.7 KB minified of them ours, 29 KB with what tabs share', async () => {
    const trpc = await bundleOf(
      `export { createTRPCClient } from '@trpc/client'; export { observable } from '@trpc/server/observable';`,
    );
    const whole = await bundleOf(client);
    expect(gzipSync(whole).length).toBeLessThanOrEqual(10_000);
    expect(whole.length - trpc.length).toBeLessThanOrEqual(11_700);
    expect((await bundleOf(shared)).length).toBeLessThanOrEqual(29_000);
  });

  it('stay small with live lists for React: 6 KB compressed in addition to the shared part of tabs', async () => {
    const react = `${shared} export * from '@comanda/client/live'; export * from '@comanda/client/react';`;
    expect((await compressed(react)) - (await compressed(shared))).toBeLessThanOrEqual(6_000);
  });
});
