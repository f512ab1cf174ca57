import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { oas31 } from 'zod-openapi';
import { run } from '../support/runtimes.ts';

/** The two documents. */
export const versions = ['v1', 'v2'] as const;
export type Version = (typeof versions)[number];

const modules = join(import.meta.dirname, 'node_modules');

/** A file of a package in tests/tools. */
export const toolFile = (path: string): string => join(modules, path);

/** A document as the service sends it. */
export async function servedDocument(url: string, version: Version): Promise<oas31.OpenAPIObject> {
  const answer = await fetch(`${url}/openapi-${version}.json`);
  if (!answer.ok) throw new Error(`openapi-${version}.json: ${answer.status}`);
  return (await answer.json()) as oas31.OpenAPIObject;
}

/** A folder outside of the workspace that holds a document as `openapi.json` and sees the packages of tests/tools. */
export function makeFolder(document: unknown): { folder: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'comanda-tool-')));
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'integrator', type: 'module' }));
  symlinkSync(modules, join(folder, 'node_modules'));
  mkdirSync(join(folder, 'home'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Runs Node in such a folder, without personal settings. Throws with what it printed when it fails. */
export async function runTool(folder: string, args: readonly string[], env = {}): Promise<string> {
  const settings = { HOME: join(folder, 'home'), NO_COLOR: '1', ...env };
  const { code, stdout, stderr } = await run(process.execPath, args, { env: settings, cwd: folder });
  if (code !== 0) throw new Error(`node ${args.join(' ')}\n${stdout}\n${stderr}`);
  return stdout + stderr;
}
