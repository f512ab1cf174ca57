import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { inject } from 'vitest';
import type { Migrated } from '../../../packages/db/src/migrations/migrate.ts';
import { repositoryRoot } from '../../../packages/db/src/root.ts';
import { roleUrl } from '../../support/roles.ts';

/** A process that brings a database up to date, as the start of a newer version does, and may be killed meanwhile. */
export interface Applier {
  process: ChildProcess;
  /** Its changes, or why there are none; undefined when it was killed. */
  word: Promise<{ done?: Migrated; lines?: string[]; error?: string } | undefined>;
}

/** Starts appliers, each as the owner of its database. */
export interface ApplierProgram {
  start(databaseUrl: string, sqlDirectory: string, release: string): Applier;
  /** Ends what is left and removes the program. */
  dispose(): void;
}

const source = `
  import { migrate } from './packages/db/src/migrations/migrate.ts';
  const [url, sqlDirectory, release, rolePrefix] = process.argv.slice(2);
  const lines = [];
  try {
    const done = await migrate(url, { sqlDirectory, release, rolePrefix, log: (line) => lines.push(line) });
    process.send({ done, lines });
  } catch (error) {
    process.send({ error: error.message });
  }
  process.disconnect();
`;

/** Bundles the program next to node_modules, from where it finds its packages. */
export async function buildApplier(): Promise<ApplierProgram> {
  const file = join(repositoryRoot, 'dist', `test-applier-${process.pid}-${Date.now().toString(36)}.js`);
  mkdirSync(join(repositoryRoot, 'dist'), { recursive: true });
  await build({
    stdin: { contents: source, resolveDir: repositoryRoot, loader: 'ts' },
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  const started: ChildProcess[] = [];
  return {
    start(databaseUrl, sqlDirectory, release) {
      const argv = [roleUrl(databaseUrl, 'owner'), sqlDirectory, release, inject('databasePrefix')];
      const child = fork(file, argv, { execArgv: [] });
      started.push(child);
      const word = Promise.race([
        once(child, 'message').then(([said]) => said),
        once(child, 'exit').then(() => undefined),
      ]);
      return { process: child, word };
    },
    dispose() {
      for (const child of started) child.kill('SIGKILL');
      rmSync(file, { force: true });
    },
  };
}
