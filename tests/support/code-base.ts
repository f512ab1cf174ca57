import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CodeBase, Manifest, SourceFile } from './architecture.ts';

/** The code below a root. */
export const readCodeBase = (root: string): CodeBase => ({
  files: readFiles(root),
  packages: readPackages(root),
});

function readFiles(root: string): SourceFile[] {
  return ['packages', 'extras', 'prisma', 'scripts', 'tests', 'vitest.config.ts']
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) => listFiles(root, path))
    .filter((path) => /\.(tsx?|mjs)$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

function listFiles(root: string, path: string): string[] {
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => !['node_modules', 'generated', 'dist', 'results'].includes(name))
    .flatMap((entry) =>
      entry.isDirectory() ? listFiles(root, `${path}/${entry.name}`) : [`${path}/${entry.name}`],
    );
}

function readPackages(root: string): Record<string, Manifest> {
  const folders = ['packages', 'extras']
    .filter((parent) => existsSync(join(root, parent)))
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'package.json')));
  return Object.fromEntries(
    folders.map((folder) => [folder, readManifest(join(root, folder, 'package.json'))]),
  );
}

function readManifest(path: string): Manifest {
  const { name, exports, ...rest } = JSON.parse(readFileSync(path, 'utf8'));
  const lists = [rest.dependencies, rest.devDependencies, rest.optionalDependencies, rest.peerDependencies];
  return { name, exports, dependencies: lists.flatMap((list) => Object.keys(list ?? {})) };
}
