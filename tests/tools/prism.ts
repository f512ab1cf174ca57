import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { inject } from 'vitest';
import { endAfterTests } from '../support/left-over.ts';
import { noteProcess } from '../support/run-directory.ts';
import { waitFor } from '../support/wait.ts';
import { makeFolder, toolFile } from './tool.ts';

/** Prism between a caller and the service: what is not as the document says it answers with a 4xx or 5xx of its own. */
export interface Prism {
  url: string;
  close(): Promise<void>;
}

/** Starts one that holds requests and answers of `upstream` against the document. */
export async function startPrism(document: unknown, upstream: string): Promise<Prism> {
  const { folder, remove } = makeFolder(document);
  const port = await freePort();
  const words = ['proxy', 'openapi.json', upstream, '-h', '127.0.0.1', '-p', String(port), '--errors'];
  const child = spawn(process.execPath, [toolFile('@stoplight/prism-cli/dist/index.js'), ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const forget = noteProcess(inject('runDirectory'), child.pid ?? 0);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const close = async () => {
    child.kill('SIGKILL');
    await ended;
    forget();
    remove();
  };
  void ended.then(endAfterTests(close));
  await waitFor('prism to listen', () => output.includes('listening'), { timeoutMs: 60_000 }).catch(
    (error) => {
      throw new Error(output, { cause: error });
    },
  );
  return { url: `http://127.0.0.1:${port}`, close };
}

/** Prism takes no 0 for a port. */
function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      server.close(() => resolve(port));
    });
  });
}
