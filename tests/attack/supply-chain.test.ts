import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

const Sbom = z.strictObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.6'),
  version: z.literal(1),
  metadata: z.strictObject({
    component: z.strictObject({
      type: z.literal('application'),
      'bom-ref': z.string(),
      name: z.literal('comanda'),
      version: z.string(),
    }),
  }),
  components: z.array(
    z.strictObject({
      type: z.literal('library'),
      'bom-ref': z.string(),
      name: z.string(),
      version: z.string().regex(/^\d+\.\d+\.\d+/),
      scope: z.enum(['required', 'optional']),
      hashes: z.tuple([
        z.strictObject({ alg: z.literal('SHA-512'), content: z.string().regex(/^[0-9a-f]{128}$/) }),
      ]),
      licenses: z.tuple([z.record(z.string(), z.unknown())]).optional(),
      purl: z.string().regex(/^pkg:npm\/(%40[^/@]+\/)?[^/@]+@\d/),
    }),
  ),
  dependencies: z.array(z.strictObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
});

describe('npm run sbom', () => {
  let text: string;
  let sbom: z.infer<typeof Sbom>;
  beforeAll(() => {
    text = execFileSync(process.execPath, ['extras/release/sbom.mjs'], {
      cwd: repositoryRoot,
      encoding: 'utf8',
    });
    sbom = Sbom.parse(JSON.parse(text));
  });

  test('names every package that production loads, found by walking what is installed', () => {
    const named = new Set(sbom.components.map(({ name, version }) => `${name}@${version}`));
    const loaded = installedClosure();
    expect(loaded.size).toBeGreaterThan(60);
    expect([...loaded].filter((each) => !named.has(each))).toEqual([]);
    expect(named.size).toBe(sbom.components.length);
  });

  test('names no tool of the tests, and leaves no reference open', () => {
    const names = sbom.components.map(({ name }) => name);
    expect(names.filter((name) => /^(vitest|esbuild|@biomejs\/biome|autocannon)$/.test(name))).toEqual([]);
    const refs = new Set(sbom.components.map((each) => each['bom-ref']));
    const open = sbom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref));
    expect(open).toEqual([]);
    expect(sbom.dependencies).toHaveLength(sbom.components.length + 1);
  });

  test('has the license of everything that is installed here', () => {
    const bare = sbom.components.filter(({ licenses }) => licenses === undefined);
    // Binaries for other machines are in the lockfile alone.
    const installed = bare.filter(({ name, scope }) => scope === 'required' || existsSync(manifestOf(name)));
    expect(installed.map(({ name }) => name)).toEqual([]);
  });

  test('has the hashes of the lockfile', () => {
    const lockfile = readFileSync(join(repositoryRoot, 'pnpm-lock.yaml'), 'utf8');
    for (const { name, hashes } of sbom.components)
      expect(lockfile, name).toContain(Buffer.from(hashes[0].content, 'hex').toString('base64'));
  });

  test('says nothing of this machine', () => {
    for (const secret of [repositoryRoot, homedir(), hostname(), 'file:', 'localhost'])
      expect(text).not.toContain(secret);
  });
});

describe('installing', () => {
  const workspace = readFileSync(join(repositoryRoot, 'pnpm-workspace.yaml'), 'utf8');

  test('runs the install scripts of named packages alone, and every package that has one is named', () => {
    const named = [...workspace.matchAll(/^ {2}- "?([^"\s]+)"?$/gm)].map(([, name]) => name);
    const scripted = readdirSync(join(repositoryRoot, 'node_modules'))
      .flatMap((name) =>
        name.startsWith('@')
          ? readdirSync(join(repositoryRoot, 'node_modules', name)).map((inner) => `${name}/${inner}`)
          : [name],
      )
      .filter((name) => !name.startsWith('@comanda/') && existsSync(manifestOf(name)))
      .filter((name) => {
        const { scripts = {} } = manifest(manifestOf(name));
        return ['preinstall', 'install', 'postinstall'].some((step) => step in scripts);
      });
    expect(scripted.length).toBeGreaterThan(0);
    expect(scripted.filter((name) => !named.includes(name))).toEqual([]);
  });

  test('takes the lockfile as it is, and lets no version into it that is younger than a week', () => {
    const bootstrap = readFileSync(join(repositoryRoot, 'scripts/bootstrap.mjs'), 'utf8');
    expect(bootstrap).toContain("'--frozen-lockfile'");
    expect(/^minimumReleaseAge: (\d+)$/m.exec(workspace)?.[1]).toBe(String(7 * 24 * 60));
    expect(workspace).not.toContain('minimumReleaseAgeExclude:');
  });

  test('takes every package from a registry, by its hash', () => {
    const lockfile = readFileSync(join(repositoryRoot, 'pnpm-lock.yaml'), 'utf8');
    const resolutions = lockfile.match(/^ {4}resolution: .*$/gm) ?? [];
    expect(resolutions.length).toBeGreaterThan(300);
    expect(resolutions.filter((line) => !/^ {4}resolution: \{integrity: sha512-\S+\}$/.test(line))).toEqual(
      [],
    );
  });
});

const bundlers = ['floor', 'newest', 'next', 'react-18', 'typescript-5.0'].map(
  (name) => `tests/bundlers/${name}`,
);
test.each(['extras/site/generator', ...bundlers, 'tests/tools'])(
  'the tools of %s come from a registry, by hash, a week old, and run no install script',
  (name) => {
    const folder = join(repositoryRoot, name);
    const settings = readFileSync(join(folder, '.npmrc'), 'utf8').split('\n');
    expect(settings).toEqual(expect.arrayContaining(['ignore-scripts=true', 'min-release-age=7']));
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { integrity?: string; resolved?: string; link?: boolean }>;
    };
    const installed = Object.entries(packages).filter(([path]) => path !== '');
    expect(installed.length).toBeGreaterThan(0);
    for (const [path, { integrity, resolved, link }] of installed) {
      expect({ path, link, resolved }).toEqual({ path, link: undefined, resolved: undefined });
      expect(integrity, path).toMatch(/^sha512-/);
    }
  },
);

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  scripts?: Record<string, string>;
}

const manifest = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8'));
const manifestOf = (name: string): string => join(repositoryRoot, 'node_modules', name, 'package.json');

/** `name@version` of everything that our packages' dependencies load, found as Node finds it. */
function installedClosure(): Set<string> {
  const found = new Set<string>();
  const visit = (folder: string) => {
    const { dependencies, optionalDependencies } = manifest(join(folder, 'package.json'));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const at = name.startsWith('@comanda/') ? undefined : resolve(name, folder);
      if (at === undefined) continue;
      const { version } = manifest(join(at, 'package.json'));
      if (found.has(`${name}@${version}`)) continue;
      found.add(`${name}@${version}`);
      visit(at);
    }
  };
  const packages = join(repositoryRoot, 'packages');
  for (const name of readdirSync(packages)) visit(join(packages, name));
  return found;
}

function resolve(name: string, from: string): string | undefined {
  const candidate = join(from, 'node_modules', name);
  if (existsSync(join(candidate, 'package.json'))) return candidate;
  return from === repositoryRoot ? undefined : resolve(name, dirname(from));
}
