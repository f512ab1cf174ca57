import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { bundleOptions } from '../../scripts/build.mjs';

const names = z.record(z.string(), z.string()).default({});
const direct = z.record(z.string(), z.object({ version: z.string() })).default({});
const Lockfile = z.object({
  importers: z.record(
    z.string(),
    z.object({ dependencies: direct, optionalDependencies: direct, devDependencies: direct }),
  ),
  packages: z.record(
    z.string(),
    z.object({ os: z.array(z.string()).optional(), cpu: z.array(z.string()).optional() }),
  ),
  snapshots: z.record(z.string(), z.object({ dependencies: names, optionalDependencies: names })),
});
const lock = Lockfile.parse(parse(readFileSync(join(repositoryRoot, 'pnpm-lock.yaml'), 'utf8')));
const importers = Object.values(lock.importers);

test('npm start installs 202 packages, and of what tests, documents and releases need only what those packages load', () => {
  const installed = productionPackages();
  expect(installed.size).toBe(202);
  const running = new Set(
    importers.flatMap((each) => Object.keys({ ...each.dependencies, ...each.optionalDependencies })),
  );
  const tools = new Set(importers.flatMap((each) => Object.keys(each.devDependencies)));
  const entered = [...installed].map((key) => key.slice(0, key.lastIndexOf('@')));
  // Dependencies of graphile-worker and openapi3-ts.
  const loaded = ['@types/node', '@types/pg', 'yaml'];
  expect([...new Set(entered.filter((name) => tools.has(name) && !running.has(name)))].sort()).toEqual(
    loaded,
  );
});

test('the service is built without the Prisma client, which is made when tests first need it', async () => {
  const { metafile } = await build(bundleOptions('service'));
  expect(metafile?.inputs).toBeDefined();
  expect(Object.keys(metafile?.inputs ?? {}).filter((file) => /generated|prisma\.ts$/.test(file))).toEqual(
    [],
  );
});

/** `name@version` of all that the manifests' dependencies bring to Linux on x64, by the lockfile. */
function productionPackages(): Set<string> {
  const found = new Set<string>();
  const walk = (dependencies: Readonly<Record<string, string>>) => {
    for (const [name, version] of Object.entries(dependencies)) {
      // An alias has its real name in place of the version.
      const key = /^@?[^@(]+@/.test(version) ? version : `${name}@${version}`;
      const id = key.replace(/\(.*$/s, '');
      const { os = ['linux'], cpu = ['x64'] } = lock.packages[id] ?? {};
      const snapshot = lock.snapshots[key];
      if (snapshot === undefined || found.has(id) || !os.includes('linux') || !cpu.includes('x64')) continue;
      found.add(id);
      walk({ ...snapshot.dependencies, ...snapshot.optionalDependencies });
    }
  };
  for (const { dependencies, optionalDependencies } of importers)
    for (const [name, { version }] of Object.entries({ ...dependencies, ...optionalDependencies }))
      walk({ [name]: version });
  return found;
}
