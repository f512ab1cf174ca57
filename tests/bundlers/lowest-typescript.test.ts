import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { browserProject, complaintsOf } from '../client/browser-project.ts';
import { compile, usePublished } from '../client/outside.ts';
import { right, wrong } from '../client/programs.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const compiler = join(repositoryRoot, 'tests/bundlers/typescript-5.0/node_modules/typescript/bin/tsc');
const page = usePublished();

/** The entries of the package that need only the compiler's own types. */
const entries = ['', '/front', '/live', '/react', '/shared', '/webhooks'];

describe('with TypeScript 5.0, in a browser project that checks every declaration,', () => {
  it('each entry compiles', async () => {
    const lines = entries.map((entry, index) => `export * as e${index} from '@comanda/client${entry}';`);
    writeFileSync(join(page, 'entries.ts'), lines.join('\n'));
    expect(await compile(page, ['entries.ts'], browserProject, compiler)).toEqual([]);
  });

  it('what is right compiles', async () => {
    const complaints = await complaintsOf(page, 'right.ts', Object.values(right), compiler);
    expect(complaints.map(({ index, text }) => [Object.keys(right)[index], text])).toEqual([]);
  });

  it('what is wrong does not', async () => {
    const programs = wrong.map(([, code]) => code);
    const complaints = await complaintsOf(page, 'wrong.ts', programs, compiler);
    const refused = new Set(complaints.map(({ index }) => index));
    expect(wrong.filter((_, index) => !refused.has(index)).map(([name]) => name)).toEqual([]);
    expect([...new Set(complaints.map(({ file }) => file))]).toEqual(['wrong.ts']);
    expect(complaints.filter(({ index }) => index < 0)).toEqual([]);
  });
});
