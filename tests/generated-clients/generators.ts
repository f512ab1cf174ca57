import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { type Complaint, compile, makeFolder } from '../client/outside.ts';
import type { WrongProgram } from '../support/programs.ts';

/** The generator of a client: a command, and the packages that its output imports. */
export interface Generator {
  /** The path of the command in `node_modules`. */
  command: string;
  args: readonly string[];
  imports: readonly string[];
  /** A file that the command reads its settings from. */
  settings?: { file: string; text: string };
}

/** openapi-typescript writes `openapi-v2.d.ts`, which openapi-fetch is typed by. */
export const openapiTypescript: Generator = {
  command: 'openapi-typescript/bin/cli.js',
  args: ['openapi-v2.json', '--output', 'openapi-v2.d.ts'],
  imports: ['openapi-fetch', 'openapi-typescript-helpers'],
};

/** @hey-api/openapi-ts writes a folder `client` that needs no package. */
export const heyApi: Generator = {
  command: '@hey-api/openapi-ts/bin/run.js',
  args: ['--file', 'client.config.mjs', '--no-log-file'],
  imports: [],
  settings: {
    file: 'client.config.mjs',
    text: `export default { input: 'openapi-v2.json', output: { path: 'client', module: { extension: '.js' } } };`,
  },
};

/**
 * Makes a folder outside of the workspace with the v2 document as the server sends it, the client that is generated
 * from it, and the program of `programs/` as `program.ts`. Remove the folder after use.
 * @throws {Error} with what the generator wrote, when it fails.
 */
export async function makeProject(baseUrl: string, generator: Generator, program: string): Promise<string> {
  const folder = makeFolder();
  const served = await fetch(`${baseUrl}/openapi-v2.json`);
  writeFileSync(join(folder, 'openapi-v2.json'), await served.text());
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'integrator', type: 'module' }));
  await generate(folder, generator);
  for (const name of generator.imports) {
    cpSync(join(repositoryRoot, 'node_modules', name), join(folder, 'node_modules', name), {
      recursive: true,
      dereference: true,
    });
  }
  writeFileSync(join(folder, 'program.ts'), checked(program));
  return folder;
}

/** The errors of the compiler for each of the statements, under its name; other errors under their file. */
export async function complaintsAbout(
  folder: string,
  head: string,
  wrong: readonly WrongProgram[],
): Promise<Record<string, string[]>> {
  const lines = wrong.map(([, code], index) => `export async function f${index}() { ${code} }`);
  writeFileSync(join(folder, 'wrong.ts'), [head, ...lines].join('\n'));
  const found: Record<string, string[]> = Object.fromEntries(wrong.map(([name]) => [name, []]));
  for (const { file, line, text } of await compile(folder, ['wrong.ts'], { noEmit: true })) {
    const name = (file === 'wrong.ts' && wrong[line - 2]?.[0]) || `${file}:${line}`;
    found[name] = [...(found[name] ?? []), text];
  }
  return found;
}

/** Compiles the project strictly, dependencies' declarations included, into `out`. */
export function compileProject(folder: string): Promise<Complaint[]> {
  return compile(folder, ['program.ts']);
}

async function generate(folder: string, { command, args, settings }: Generator): Promise<void> {
  const preload = pathToFileURL(join(import.meta.dirname, 'typescript-5.mjs')).href;
  const path = join(repositoryRoot, 'node_modules', command);
  if (settings !== undefined) writeFileSync(join(folder, settings.file), settings.text);
  await promisify(execFile)(process.execPath, [path, ...args], {
    cwd: folder,
    // A generator may start itself once more: the option must reach that one too.
    env: { PATH: process.env.PATH, HOME: folder, NODE_OPTIONS: `--import ${preload}` },
  });
}

// The imports of a program are missing before its client is generated: in the workspace it is not checked.
const unchecked = '// @ts-nocheck\n';

function checked(program: string): string {
  const text = readFileSync(join(import.meta.dirname, 'programs', program), 'utf8');
  if (!text.startsWith(unchecked)) throw new Error(`programs/${program} must begin with ${unchecked}`);
  return text.slice(unchecked.length);
}
