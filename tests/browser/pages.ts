import { request as ask } from 'node:http';
import { repositoryRoot } from '@comanda/db';
import { build } from 'esbuild';
import { listening } from '../support/listening.ts';

/** A server with a blank page that has the client, before a service of the same origin. */
export type Pages = Awaited<ReturnType<typeof startPages>>;

/** Starts one before the service at `target`. The page has `globalThis.comanda`: both entries of the client. */
export async function startPages(target: string) {
  const script = await build({
    stdin: {
      contents: `export * from './packages/client/src/index.ts'; export * from './packages/client/src/shared.ts';`,
      resolveDir: repositoryRoot,
    },
    bundle: true,
    format: 'iife',
    globalName: 'comanda',
    platform: 'browser',
    write: false,
  });
  const page = `<!doctype html><title>Board</title><link rel="icon" href="data:,"><script>${script.outputFiles[0]?.text}</script>`;
  const asked: string[] = [];
  let retryAfter: number | undefined;
  const server = await listening((came, answer) => {
    const { method, headers, url = '' } = came;
    asked.push(url);
    if (url === '/') {
      answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    } else if (retryAfter !== undefined && url.startsWith('/v2/events/stream')) {
      answer.writeHead(503, { 'retry-after': String(retryAfter) }).end();
    } else {
      const passed = ask(target + url, { method, headers }, (said) => {
        answer.writeHead(said.statusCode ?? 500, said.headers);
        said.pipe(answer);
      });
      passed.on('error', () => answer.destroy());
      answer.once('close', () => passed.destroy());
      came.pipe(passed);
    }
  });
  return {
    ...server,
    /** While it is set, streams are refused with 503 and this `Retry-After`. */
    refuse: (seconds: number | undefined) => {
      retryAfter = seconds;
    },
    /** The addresses of everything that was asked. */
    asked: () => asked,
  };
}
