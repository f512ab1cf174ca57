import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { nodeFlags } from '../../packages/db/src/processes/node-flags.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { settingsTable } from '../../packages/db/src/settings/settings.ts';
import { installApart } from '../../scripts/apart.mjs';
import { runProgram } from './programs.ts';

// The files of ops/ for Kubernetes and Compose: nothing here runs them, so they are held against schemas.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = join(repositoryRoot, 'tests/manifests');
const modules = join(folder, 'node_modules');
const read = (file: string) => readFileSync(join(repositoryRoot, 'ops', file), 'utf8');

interface Container {
  name: string;
  image: string;
  args: string[];
  env: { name: string }[];
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: {
    selector?: Record<string, unknown>;
    template?: { metadata: { labels: Record<string, string> }; spec: { containers: Container[] } };
  };
}
interface Compose {
  services: Record<string, Record<string, unknown>>;
  secrets: object;
  volumes: object;
}

let manifests: Manifest[];
let compose: Compose;
let draft: string;
beforeAll(async () => {
  await installApart(folder, 'the schemas of Kubernetes (26 MB)');
  const { parse, parseAllDocuments } = (await import(join(modules, 'yaml/dist/index.js'))).default;
  manifests = parseAllDocuments(read('kubernetes/comanda.yaml')).map((each: { toJS(): Manifest }) =>
    each.toJS(),
  );
  compose = parse(read('compose.yaml'), { merge: true });
  draft = mkdtempSync(join(folder, 'draft-'));
});
afterAll(() => rmSync(draft, { recursive: true, force: true }));

const settings = Object.values(settingsTable).flatMap(({ variable }) => [variable, `${variable}_FILE`]);
const pods = () => manifests.flatMap(({ spec }) => (spec.template === undefined ? [] : [spec.template]));

describe('the manifests for Kubernetes', () => {
  it('have values of the types that Kubernetes has', async () => {
    expect(manifests.map(({ kind }) => kind)).toEqual([
      'Job',
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'Deployment',
    ]);
    for (const each of manifests) {
      const at = join(modules, 'kubernetes-models', each.apiVersion, `${each.kind}.js`);
      const Model = (await import(at))[each.kind];
      expect(() => new Model(each).validate(), each.metadata.name).not.toThrow();
    }
  });

  it('have no field that Kubernetes does not have', () => {
    const lines = manifests.flatMap((each, index) => [
      `import type { I${each.kind} as Kind${index} } from 'kubernetes-models/${each.apiVersion}/${each.kind}';`,
      `export const manifest${index}: Kind${index} = ${JSON.stringify(each)};`,
    ]);
    const check = (text: string) => {
      writeFileSync(join(draft, 'manifests.ts'), text);
      const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--ignoreConfig'];
      runProgram(join(repositoryRoot, 'node_modules/.bin/tsc'), [...flags, join(draft, 'manifests.ts')]);
    };
    check(lines.join('\n'));
    expect(() =>
      check(lines.join('\n').replace('"readOnlyRootFilesystem"', '"readOnlyRootFileSystem"')),
    ).toThrow(/readOnlyRootFileSystem/);
  });

  it('select what they make, and start what there is with settings that there are', () => {
    const labels = pods().map(({ metadata }) => metadata.labels);
    for (const { spec, metadata } of manifests) {
      if (spec.selector === undefined) continue;
      const wanted = (spec.selector.matchLabels ?? spec.selector) as Record<string, string>;
      const own = spec.template === undefined ? labels : [spec.template.metadata.labels];
      expect(own, metadata.name).toContainEqual(wanted);
    }
    const containers = pods().flatMap(({ spec }) => spec.containers);
    expect(containers.map(({ args }) => args.join(' '))).toEqual([
      'node dist/comanda.js migrate',
      'node dist/api.js',
      `node ${nodeFlags('worker').join(' ')} dist/worker.js`,
    ]);
    for (const { image, env } of containers) {
      expect(image).toBe(
        `comanda:${JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')).version}`,
      );
      expect(settings).toEqual(expect.arrayContaining(env.map(({ name }) => name)));
    }
  });
});

// No schema of Compose is on the npm registry: the keys that the file has are compared with those of the Compose Specification by hand.
describe('the file for Compose', () => {
  const keys =
    'image build environment secrets volumes healthcheck depends_on command ports stop_grace_period restart read_only tmpfs cap_drop security_opt';

  it('has services of known keys, which name what the file has', () => {
    const has = (of: object) => Object.keys(of);
    for (const [name, service] of Object.entries(compose.services)) {
      expect(keys.split(' '), name).toEqual(expect.arrayContaining(has(service)));
      expect(has(compose.services), name).toEqual(
        expect.arrayContaining(has((service.depends_on as object) ?? {})),
      );
      expect(has(compose.secrets), name).toEqual(expect.arrayContaining((service.secrets as string[]) ?? []));
    }
    expect(has(compose.volumes)).toEqual(['postgres']);
  });

  it('starts the image that is built, as the manifests do', () => {
    const { migrate, api, worker } = compose.services;
    const images = pods().flatMap(({ spec }) => spec.containers.map(({ image }) => image));
    expect([migrate, api, worker].map((service) => service?.image)).toEqual(images);
    expect(worker?.command).toEqual(pods().at(-1)?.spec.containers[0]?.args);
    for (const service of [migrate, api, worker]) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(settings).toEqual(expect.arrayContaining(Object.keys((service?.environment as object) ?? {})));
    }
  });
});
