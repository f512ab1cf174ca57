import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { buildInto, compile, makeFolder, unpackBeside } from '../client/outside.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const run = promisify(execFile);
const built = makeFolder();
const folders: string[] = [built];
const readme = readFileSync(join(repositoryRoot, 'packages/client/README.md'), 'utf8');

beforeAll(() => buildInto(built));
afterAll(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true });
});

const samples = [...readme.matchAll(/^```tsx\n([\s\S]*?)^```$/gm)].map(([, sample = '']) => sample);
const sampleWith = (word: string): string => samples.find((sample) => sample.includes(word)) ?? '';

it('the samples for React in the README are those that are compiled here', () => {
  const compiled = ['createTRPCContext', 'createTRPCOptionsProxy', 'pathKey()', 'useLive('].map(sampleWith);
  expect(samples.filter((sample) => !compiled.includes(sample))).toEqual([]);
  expect(readme.match(/^```(?!ts$|tsx$|sh$)\S+$/gm)).toBeNull();
});

const options = {
  module: 'esnext',
  moduleResolution: 'bundler',
  noEmit: true,
  jsx: 'react-jsx',
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  // Not ours: those of TanStack and React.
  skipLibCheck: true,
};

// The first tRPC that has the names of our declarations, with React 19 and 18, and the last that React's integration is there for.
describe.each(['floor', 'react-18', 'newest'])(
  'together with the %s of its peers, with React, the client',
  (name) => {
    const tools = join(repositoryRoot, 'tests/bundlers', name);
    const folder = makeFolder();
    folders.push(folder);

    beforeAll(() => unpackBeside(tools, built, folder));

    it('installs without force', async () => {
      const { dependencies } = JSON.parse(readFileSync(join(tools, 'package.json'), 'utf8'));
      const version = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8')).version;
      const tarball = join(built, `comanda-client-${version}.tgz`);
      const project = makeFolder();
      folders.push(project);
      writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'app', dependencies }));
      writeFileSync(join(project, 'package-lock.json'), readFileSync(join(tools, 'package-lock.json')));
      const args = [
        'install',
        '--dry-run',
        '--offline',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        tarball,
      ];
      await expect(run('npm', args, { cwd: project })).resolves.toMatchObject({ stdout: /added/ });
    });

    it('compiles, and is not any', async () => {
      writeFileSync(
        join(folder, 'typed.ts'),
        [
          `import { createClient, listAll, type Order, type ComandaClient } from '@comanda/client';`,
          `import { trpcClient } from '@comanda/client/trpc';`,
          `import { getUntypedClient } from '@trpc/client';`,
          `const comanda: ComandaClient = createClient({ url: '', key: '' });`,
          `export const order: Promise<Order> = comanda.orders.get.query({ id: '' });`,
          `export const entries = listAll(comanda.orders.list, { status: 'ready' });`,
          `export const untyped = getUntypedClient(trpcClient(comanda));`,
          `// @ts-expect-error`,
          `comanda.dishes;`,
          `// @ts-expect-error`,
          `comanda.orders.get.query({ id: 1 });`,
          `// @ts-expect-error`,
          `comanda.orders.get.query({ id: '' }).then(({ color }) => color);`,
        ].join('\n'),
      );
      // Missing names in tRPC's own declarations (of http, of ws) do not count; a name missing in ours would be any.
      const options = { module: 'esnext', moduleResolution: 'bundler', noEmit: true, skipLibCheck: true };
      expect(await compile(folder, ['typed.ts'], options)).toEqual([]);
    });

    it("gives React's queries the names of the results", async () => {
      const sample = sampleWith('createTRPCContext');
      const check = `import type { ChangesPage, OrderListEntry } from '@comanda/client';
      export function Check() {
        const { data } = useQuery(useTRPC().orders.list.queryOptions());
        const page: ChangesPage<OrderListEntry> | undefined = data;
        // @ts-expect-error
        return page?.data[0]?.color;
      }`;
      writeFileSync(join(folder, 'board.tsx'), `${sample}\n${check}`);
      expect(await compile(folder, ['board.tsx'], options)).toEqual([]);
    });

    it('compiles the sample outside of components', async () => {
      writeFileSync(join(folder, 'loader.tsx'), sampleWith('createTRPCOptionsProxy'));
      expect(await compile(folder, ['loader.tsx'], options)).toEqual([]);
    });

    it('gives a query that calls the client what its `include` asked for', async () => {
      const check = `import type { Order } from '@comanda/client';
      import { useQuery } from '@tanstack/react-query';
      export function Check() {
        const [first] = useQuery(openOrders).data?.data ?? [];
        const order: Order | undefined = first;
        // @ts-expect-error
        return order?.items[0]?.quantity ?? first?.revision;
      }`;
      const parts = [sampleWith('createTRPCOptionsProxy'), sampleWith('pathKey()'), check];
      writeFileSync(join(folder, 'asked.tsx'), parts.join('\n'));
      expect(await compile(folder, ['asked.tsx'], options)).toEqual([]);
    });

    it('gives a live list the names of its entries', async () => {
      const check = `import type { ComandaClient, OrderListEntry } from '@comanda/client';
      declare const comanda: ComandaClient;
      declare const show: (error: unknown) => void;
      export function Check() {
        const { data, mutate } = useLive(comanda.orders.list, { status: 'ready' });
        const entries: readonly OrderListEntry[] | undefined = data;
        // @ts-expect-error
        useLive(comanda.orders.list, { status: 'cooking' });
        // @ts-expect-error
        void mutate(comanda.orders.updateStatus, { id: '', status: 'cooking' });
        // @ts-expect-error
        return entries?.[0]?.color;
      }
      export { Board };`;
      writeFileSync(join(folder, 'live.tsx'), `${sampleWith('useLive(')}\n${check}`);
      expect(await compile(folder, ['live.tsx'], options)).toEqual([]);
    });
  },
);
