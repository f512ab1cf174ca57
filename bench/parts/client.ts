import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { packInto } from '../outside.ts';
import { figureRow, type Row } from '../result.ts';
import type { Part } from './part.ts';

/** The typed client as it is published: what it weighs in a page, and what its types cost the compiler. */
export const client: Part = {
  name: 'client',
  summary: 'the typed client: bytes in a page, work for the compiler',
  async run({ setup }) {
    const folder = mkdtempSync(join(setup.directory, 'client-'));
    await packInto(folder, ['client']);
    return [...(await sizes(folder)), ...(await types(folder))];
  },
};

/** The imports of a page, and the most that it may weigh with tRPC, in KB of 1,000 bytes. */
const pages = [
  ['createClient and comandaError', `export { comandaError, createClient } from '@comanda/client';`, 25],
  ['all of @comanda/client', `export * from '@comanda/client';`, 25],
  [
    'the same two with all of @comanda/client/shared',
    `export { comandaError, createClient } from '@comanda/client'; export * from '@comanda/client/shared';`,
    25,
  ],
  ['all of @comanda/client/webhooks, which needs no tRPC', `export * from '@comanda/client/webhooks';`, 5],
] as const;

async function sizes(folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, contents, most] of pages) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: folder },
      ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', write: false },
    });
    const bytes = outputFiles[0]?.contents ?? new Uint8Array();
    rows.push(
      figureRow(
        'client',
        `${what}: minified, with tRPC`,
        { most, unit: ' KB' },
        bytes.length / 1_000,
        `${(gzipSync(bytes).length / 1_000).toFixed(1)} KB after gzip`,
      ),
    );
  }
  return rows;
}

/** A program that names tRPC alone: what any client of tRPC's costs before its first call. */
const bare = `import { createTRPCClient } from '@trpc/client'; export const create = createTRPCClient;`;

async function types(folder: string): Promise<Row[]> {
  // An integrator's program: it is in the tests, which run it.
  copyFileSync(join(repositoryRoot, 'tests/client/consumer.ts'), join(folder, 'calls.ts'));
  writeFileSync(join(folder, 'bare.ts'), bare);
  const [without, calls, next] = [
    await diagnose(folder, 'bare.ts', 'typescript-5'),
    await diagnose(folder, 'calls.ts', 'typescript-5'),
    await diagnose(folder, 'calls.ts', 'typescript'),
  ];
  const more = (name: keyof Diagnosis) => calls[name] - without[name];
  return [
    figureRow(
      'client',
      'a program of calls compared with a bare import of tRPC: instantiations more, TypeScript 5.9',
      { most: 6_000, unit: '' },
      more('Instantiations'),
      `${more('Types')} types more; check ${calls['Check time']} s against ${without['Check time']} s; TypeScript 7: ${next.Instantiations} instantiations in all, check ${next['Check time']} s`,
    ),
  ];
}

type Diagnosis = Record<'Types' | 'Instantiations' | 'Check time', number>;

/** The compiler's report on a strict program of one file; it must compile. */
async function diagnose(folder: string, file: string, compiler: string): Promise<Diagnosis> {
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
  const libraries = ['--lib', 'es2024,dom,esnext.disposable', '--extendedDiagnostics'];
  const words = [join(repositoryRoot, 'node_modules', compiler, 'bin/tsc'), ...options, ...libraries, file];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
  const read = (name: keyof Diagnosis) => {
    const [, value] = new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(stdout) ?? [];
    if (value === undefined) throw new Error(`the compiler does not report ${name}:\n${stdout}`);
    return Number(value);
  };
  return {
    Types: read('Types'),
    Instantiations: read('Instantiations'),
    'Check time': read('Check time'),
  };
}
