import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type Complaint, call, compile } from '../client/outside.ts';
import { useDemo } from '../support/demo.ts';
import { makeFolder, runTool, servedDocument, toolFile, type Version, versions } from './tool.ts';

// Each case runs a generator and the compiler.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** A generator, and what it is asked for. */
interface Generator {
  name: string;
  /** Its command and words: it reads `openapi.json` and writes `client.ts`. */
  command: readonly [path: string, ...words: string[]];
  /** A file that it reads its settings from. */
  settings?: { file: string; text: string };
  /** What it may print: nothing else, and no warning. */
  printed: RegExp;
}

const orval = (client: string): Pick<Generator, 'command' | 'settings' | 'printed'> => ({
  command: ['orval/dist/bin/orval.js', '--config', 'orval.config.cjs'],
  settings: {
    file: 'orval.config.cjs',
    text: `module.exports = { client: { input: './openapi.json', output: { target: './client.ts', client: '${client}' } } };`,
  },
  printed:
    /^\S* orval v[\d.]+ - A swagger client generator for typescript\s+\S* client - Your OpenAPI spec has been converted into ready to use orval!\s*$/u,
});

const generators: readonly Generator[] = [
  {
    name: 'openapi-zod-client',
    command: ['openapi-zod-client/bin.js', 'openapi.json', '-o', 'client.ts'],
    printed: /^Retrieving OpenAPI document from openapi\.json\s+Done generating <client\.ts> !\s*$/,
  },
  { name: 'orval, with fetch', ...orval('fetch') },
  { name: 'orval, with zod', ...orval('zod') },
  { name: 'oazapfts', command: ['oazapfts/dist/cli.js', 'openapi.json', 'client.ts'], printed: /^\s*$/ },
  {
    name: 'swagger-typescript-api',
    command: [
      'swagger-typescript-api/dist/cli.mjs',
      ...['generate', '-p', 'openapi.json', '-o', '.', '-n', 'client.ts', '--silent'],
    ],
    printed: /^\s*$/,
  },
];

const demo = useDemo();

/** Generates the client into a new folder, and compiles it strictly with `program.ts`; the declarations of packages are theirs. */
async function generate(
  { command: [path, ...words], settings, printed }: Generator,
  document: unknown,
  program = `export * from './client.js';`,
): Promise<{ folder: string; remove(): void; complaints: Complaint[] }> {
  const { folder, remove } = makeFolder(document);
  if (settings !== undefined) writeFileSync(join(folder, settings.file), settings.text);
  expect(await runTool(folder, [toolFile(path), ...words])).toMatch(printed);
  writeFileSync(join(folder, 'program.ts'), program);
  return { folder, remove, complaints: await compile(folder, ['program.ts'], { skipLibCheck: true }) };
}

describe.each(versions)('of the %s document', (version: Version) => {
  test.each(generators)('$name makes a client that compiles strictly and loads', async (generator) => {
    const { folder, remove, complaints } = await generate(generator, await servedDocument(demo.url, version));
    expect(complaints).toEqual([]);
    await load(folder);
    remove();
  });
});

describe('openapi-zod-client', () => {
  const [zodClient = { name: '', command: [''], printed: /^$/ } as const] = generators;

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
    const { folder, remove, complaints } = await generate(
      zodClient,
      await servedDocument(demo.url, 'v2'),
      program,
    );
    expect(complaints).toEqual([]);
    const surroundings = { url: demo.url, key: demo.key };
    expect(await call(folder, './out/program.js', 'work', surroundings)).toEqual({
      orders: 46,
      categories: 6,
      events: true,
    });
    remove();
  });

  test('makes one that does not load, of variants that are told apart by `const` alone', async () => {
    const document = JSON.stringify(await servedDocument(demo.url, 'v2'), (_, value) => {
      if (typeof value === 'object' && value !== null && 'const' in value) delete value.enum;
      return value;
    });
    const { folder, remove } = await generate(zodClient, JSON.parse(document));
    await expect(load(folder)).rejects.toThrow(/discriminator value/i);
    remove();
  });
});

const load = (folder: string): Promise<string> => runTool(folder, ['-e', `import('./out/program.js')`]);
