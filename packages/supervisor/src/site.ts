import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';

/** A build that may be under way. */
export interface SiteBuild {
  /** Ends it, and all that it started. */
  stop(): Promise<void>;
}

const farewellMs = 7_000;

/**
 * Builds the site of the documents while the service runs, at the lowest priority, where its generator is installed and its sources have
 * changed; reports the outcome in one line. The API serves what is built from the next second on. Nothing waits for it, and a build that
 * fails changes nothing.
 */
export function buildSiteBeside(log: (line: string) => void): SiteBuild {
  const script = join(repositoryRoot, 'extras/site/site.mjs');
  if (!existsSync(script)) return { stop: async () => {} };
  // By nice(1): what Node sets itself would not reach all of its threads. Our own death reaches it as 'disconnect'.
  const child = spawn('nice', ['-n', '19', process.execPath, script, '--beside'], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  let stopping = false;
  const [said, complained] = [child.stdout, child.stderr].map((stream) => {
    const lines: string[] = [];
    stream?.setEncoding('utf8').on('data', (text: string) => lines.push(...text.split('\n').filter(Boolean)));
    return lines;
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      log(`the site of the documents was not built: ${error.message}`);
      resolve();
    });
    child.once('close', (code) => {
      if (!stopping && code === 0) for (const line of said ?? []) log(line);
      if (!stopping && code !== 0)
        log(`the site of the documents was not built: ${complained?.at(-1) ?? `exit code ${code}`}`);
      resolve();
    });
  });
  return {
    async stop() {
      stopping = true;
      child.kill('SIGTERM');
      const end = setTimeout(() => child.kill('SIGKILL'), farewellMs);
      await ended;
      clearTimeout(end);
    },
  };
}
