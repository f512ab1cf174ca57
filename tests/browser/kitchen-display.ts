import { request } from 'node:http';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { build } from 'esbuild';
import { listening } from '../support/listening.ts';

const aliasesIn = (folder: string) =>
  Object.fromEntries(['react', 'react-dom'].map((name) => [name, join(folder, 'node_modules', name)]));

/**
 * Bundles `examples/live-screen` as it is shown, and serves it; `key` is added to what it asks the service at `target`. React is that of
 * the workspace, or the one that is installed in the folder `reactOf`. The page has its version as `reactVersion`.
 */
export async function startKitchenDisplay(target: string, key: string, reactOf?: string) {
  const source = (name: string) => join(repositoryRoot, `packages/client/src/${name}.ts`);
  const { outputFiles } = await build({
    stdin: {
      contents: `import { version } from 'react'; import './screen.tsx'; globalThis.reactVersion = version;`,
      resolveDir: join(repositoryRoot, 'examples/live-screen'),
    },
    alias: {
      ...(reactOf !== undefined && aliasesIn(reactOf)),
      '@comanda/client/live': source('live'),
      '@comanda/client/react': source('react'),
      '@comanda/client': source('index'),
    },
    bundle: true,
    format: 'iife',
    platform: 'browser',
    write: false,
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const page = `<!doctype html><meta charset="utf-8"><title>Kitchen</title><link rel="icon" href="data:,">
    <body id="L1 ana"><script>${outputFiles[0]?.text.replaceAll('</script', '<\\/script')}</script>`;
  const asked: string[] = [];
  let streamed = '';
  const { url: base, close } = await listening((came, answer) => {
    const { method, headers, url = '' } = came;
    if (url === '/') return void answer.writeHead(200, { 'content-type': 'text/html' }).end(page);
    asked.push(decodeURIComponent(url));
    const passed = request(
      target + url.replace('/comanda', ''),
      { method, headers: { ...headers, authorization: `Bearer ${key}` }, agent: false },
      (said) => {
        answer.writeHead(said.statusCode ?? 500, said.headers);
        said.pipe(answer);
        if (url.includes('events/stream')) said.on('data', (bytes: Buffer) => (streamed += bytes));
        said.on('error', () => answer.destroy());
      },
    );
    passed.on('error', () => answer.destroy());
    answer.once('close', () => passed.destroy());
    came.pipe(passed);
  });
  /** `asked`: the requests to the service, by path; `streamed`: all that its streams of events brought. */
  return { url: `${base}/`, asked, streamed: () => streamed, close };
}
