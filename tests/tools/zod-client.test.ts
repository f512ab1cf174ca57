import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type Complaint, call, compile } from '../client/outside.ts';
import { useDemo } from '../support/demo.ts';
import { makeFolder, runTool, servedDocument, toolFile, type Version, versions } from './tool.ts';

// Each case runs a generator and the compiler.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const demo = useDemo();

/** Generates `client.ts` in a new folder, and compiles it strictly with `program.ts`; the declarations of packages are theirs. */
async function generate(
  document: unknown,
  program = `export * from './client.js';`,
): Promise<{ folder: string; remove(): void; complaints: Complaint[] }> {
  const { folder, remove } = makeFolder(document);
  const words = [toolFile('openapi-zod-client/bin.js'), 'openapi.json', '-o', 'client.ts'];
  // Nothing else, and no warning.
  expect(await runTool(folder, words)).toMatch(
    /^Retrieving OpenAPI document from openapi\.json\s+Done generating <client\.ts> !\s*$/,
  );
  writeFileSync(join(folder, 'program.ts'), program);
  return { folder, remove, complaints: await compile(folder, ['program.ts'], { skipLibCheck: true }) };
}

describe('openapi-zod-client', () => {
  test.each(versions)(
    'makes a client of the %s document that compiles strictly and loads',
    async (version: Version) => {
      const { folder, remove, complaints } = await generate(await servedDocument(demo.url, version));
      expect(complaints).toEqual([]);
      await load(folder);
      remove();
    },
  );

  test('makes a client that accepts what is really answered', async () => {
    const program = `
      import { createApiClient } from './client.js';
      export async function work({ url, key }: { url: string; key: string }) {
        const client = createApiClient(url, { axiosConfig: { headers: { Authorization: \`Bearer \${key}\` } } });
        // By alias: by path, its types compare all operations, which is deeper than TypeScript goes.
        const { data: orders } = await client.ordersList({ queries: { limit: 200 } });
        const { data: catalog } = await client.catalogGet();
        const { data: events } = await client.eventsList({ queries: { limit: 200 } });
        return { orders: orders.length, categories: catalog.categories.length, events: events.length > 0 };
      }`;
    const { folder, remove, complaints } = await generate(await servedDocument(demo.url, 'v2'), program);
    expect(complaints).toEqual([]);
    const surroundings = { url: demo.url, key: demo.key };
    expect(await call(folder, './out/program.js', 'work', surroundings)).toEqual({
      orders: 46,
      categories: 6,
      events: true,
    });
    remove();
  });

  test('makes one that does not load, of variants that differ by `const` alone', async () => {
    const document = JSON.stringify(await servedDocument(demo.url, 'v2'), (_, value) => {
      if (typeof value === 'object' && value !== null && 'const' in value) delete value.enum;
      return value;
    });
    const { folder, remove } = await generate(JSON.parse(document));
    await expect(load(folder)).rejects.toThrow(/discriminator value/i);
    remove();
  });
});

const load = (folder: string): Promise<string> => runTool(folder, ['-e', `import('./out/program.js')`]);
