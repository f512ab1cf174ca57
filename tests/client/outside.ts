import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';

const run = promisify(execFile);
const newest = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
const peers = ['@trpc/client', '@trpc/server'];

/** A complaint of the compiler. */
export interface Complaint {
  file: string;
  line: number;
  text: string;
}

/** A new folder that no `node_modules` of the workspace can be seen from. */
export function makeFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'comanda-outside-')));
}

/** A folder in which the client as it is published can be imported, for the tests of a file. */
export function usePublished(put = unpackInto): string {
  const [built, page] = [makeFolder(), makeFolder()];
  beforeAll(async () => {
    await buildInto(built);
    await put(built, page);
  });
  afterAll(() => {
    for (const folder of [built, page]) rmSync(folder, { recursive: true, force: true });
  });
  return page;
}

/** Builds the client as it is published into `folder`, and its tarball (`npm run client:pack`). */
export async function buildInto(folder: string): Promise<void> {
  await run(process.execPath, [join(repositoryRoot, 'extras/release/build-client.mjs'), '--pack', folder]);
}

/** Unpacks the tarball in `built` where a package of `folder` finds it. */
export async function unpackInto(built: string, folder: string): Promise<void> {
  const target = join(folder, 'node_modules/@comanda/client');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const archive = readdirSync(built).find((name) => name.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', join(built, archive), '--strip-components=1', '-C', target]);
}

/** Installs the tarball in `built` with copies of its peers in `folder`. */
export async function install(built: string, folder: string): Promise<void> {
  await unpackInto(built, folder);
  for (const peer of peers) {
    cpSync(join(repositoryRoot, 'node_modules', peer), join(folder, 'node_modules', peer), {
      recursive: true,
      dereference: true,
    });
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'integrator', type: 'module' }));
}

/** Unpacks the tarball in `built` in `folder`, next to links to everything that is installed in `tools`. */
export async function unpackBeside(tools: string, built: string, folder: string): Promise<void> {
  const installed = join(tools, 'node_modules');
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(installed).filter((entry) => !entry.startsWith('.')))
    symlinkSync(join(installed, name), join(folder, 'node_modules', name));
  await unpackInto(built, folder);
}

/** Lets `folder` see the workspace's own copies of the peers. */
export function linkPeers(folder: string): void {
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(join(repositoryRoot, 'node_modules/@trpc'), join(folder, 'node_modules/@trpc'));
}

/**
 * Compiles the files of a folder, strictly; `options` replace the compiler's own, and `compiler` the one of the workspace. Answers what it
 * complains of.
 */
export async function compile(
  folder: string,
  files: string[],
  options: Record<string, unknown> = {},
  compiler = newest,
): Promise<Complaint[]> {
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2024', 'dom', 'esnext.disposable'],
    types: [],
    skipLibCheck: false,
    outDir: 'out',
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  try {
    await run(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], { cwd: folder });
    return [];
  } catch (error) {
    const complaints = complaintsIn(String((error as { stdout?: unknown }).stdout));
    if (complaints.length === 0) throw error;
    return complaints;
  }
}

/** Calls a compiled module's function in a process of its own, in `folder`; both ways as JSON. */
export async function call(folder: string, module: string, name: string, input: unknown): Promise<unknown> {
  const script = `
    import * as module from ${JSON.stringify(module)};
    process.stdout.write(JSON.stringify(await module[${JSON.stringify(name)}](JSON.parse(process.argv[1]))));
  `;
  const args = ['--input-type=module', '--eval', script, JSON.stringify(input)];
  const { stdout } = await run(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH } });
  return JSON.parse(stdout);
}

function complaintsIn(output: string): Complaint[] {
  return [...output.matchAll(/^(\S.*?)\((\d+),\d+\): error (TS\d+: .*(?:\n +.*)*)/gm)].map(
    ([, file = '', line = '', text = '']) => ({ file, line: Number(line), text }),
  );
}
