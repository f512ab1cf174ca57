import { build, type Metafile } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { bundleOptions } from '../../scripts/build.mjs';

// The modules that a command loads decide how fast it starts. No time is measured here: the test counts the modules of a start, those of the workspace
// and those of the registry.

let outputs: Metafile['outputs'];

beforeAll(async () => {
  const built = await build({ ...bundleOptions('commands'), write: false, metafile: true });
  outputs = built.metafile.outputs;
});

/** The modules loaded for these files of the workspace: packages of the registry, and how many bytes of our own bundles. */
function loaded(...files: string[]): { packages: string[]; bytes: number } {
  const [seen, packages] = [new Set<string>(), new Set<string>()];
  const load = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: next, kind, external } of outputs[path]?.imports ?? []) {
      if (kind === 'dynamic-import') continue;
      if (external !== true) load(next);
      else if (!next.startsWith('node:')) packages.add(next);
    }
  };
  for (const file of files) load(bundleOf(file));
  return {
    packages: [...packages].sort(),
    bytes: [...seen].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0),
  };
}

function bundleOf(file: string): string {
  const [path] =
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(`/src/${file}`)) ?? [];
  if (path === undefined) throw new Error(`nothing loads ${file} when it is needed`);
  return path;
}

test('help, the version and a mistyped name load nothing of the registry', () => {
  expect(loaded('program.ts')).toEqual({ packages: [], bytes: expect.any(Number) });
  expect(loaded('program.ts').bytes).toBeLessThan(40_000);
});

test('what needs no database loads no driver and no schema', () => {
  const { packages, bytes } = loaded('program.ts', 'perform.ts', 'config.ts');
  // It looks for settings that are one letter away.
  expect(packages).toEqual(['leven']);
  expect(bytes).toBeLessThan(80_000);
});

test('what works on the database loads the driver, and no Prisma, no server and no queue', () => {
  const works = Object.values(outputs).flatMap(({ entryPoint = '' }) => {
    const [, file] = /^(?:packages\/cli|extras\/operator)\/src\/(.+)$/.exec(entryPoint) ?? [];
    return file === undefined || apart.includes(file) ? [] : [file];
  });
  expect(works).toEqual(expect.arrayContaining(['keys.ts', 'audit.ts', 'orders.ts', 'webhooks.ts']));
  for (const work of works) {
    const { packages } = loaded('program.ts', 'perform.ts', 'on-database.ts', work);
    // A command that makes an endpoint compares addresses.
    const allowed = ['@trpc/server', 'ipaddr.js', 'leven', 'pg'];
    expect(
      packages.filter((name) => !allowed.includes(name)),
      work,
    ).toEqual([]);
  }
});
const apart = ['program.ts', 'config.ts', 'migrate.ts', 'drill/command.ts'];

test("what migrates the queue, the drill's copy too, alone loads the queue", () => {
  expect(loaded('program.ts', 'migrate.ts').packages).toContain('graphile-worker');
});
