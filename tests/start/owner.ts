import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { repositoryRoot } from '../../packages/db/src/root.ts';

/** The report of a process that started the embedded server, or tried to. */
export interface OwnerWord {
  url?: string;
  error?: string;
}

/** Starts embedded servers from processes of their own, which can be killed. */
export interface OwnerProgram {
  /** Starts a process that owns `dataDir`, and waits for its word. */
  start(dataDir: string): Promise<{ process: ChildProcess; word: OwnerWord }>;
  /** Ends what is left and removes the program. */
  dispose(): void;
}

const source = `
  import { startEmbedded } from './packages/embedded/src/server.ts';
  try {
    const server = await startEmbedded({ dataDir: process.argv[2] });
    process.on('disconnect', () => server.stop());
    process.send({ url: server.url });
  } catch (error) {
    process.send({ error: error.message }, () => process.exit(1));
  }
`;

/** Bundles the program next to node_modules, from where it finds its packages. */
export async function buildOwnerProgram(): Promise<OwnerProgram> {
  const file = join(repositoryRoot, 'dist', `test-owner-${process.pid}.js`);
  mkdirSync(join(repositoryRoot, 'dist'), { recursive: true });
  await build({
    stdin: { contents: source, resolveDir: repositoryRoot, loader: 'ts' },
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: { '@comanda/db': join(repositoryRoot, 'packages/db/src/index.ts') },
  });
  const started: ChildProcess[] = [];
  return {
    async start(dataDir) {
      const child = fork(file, [dataDir], { execArgv: [] });
      started.push(child);
      const [word] = await once(child, 'message');
      return { process: child, word };
    },
    dispose() {
      for (const child of started) child.kill('SIGKILL');
      rmSync(file, { force: true });
    },
  };
}
