import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';

const run = promisify(execFile);

/** Makes one script for browsers of `entry.js` in a folder; what the bundler warned of. */
export type Bundler = (folder: string, tools: string) => Promise<{ script: string; warnings: string[] }>;

/** Each bundler, by its name. */
export const bundlers: Readonly<Record<string, Bundler>> = {
  async esbuild(folder) {
    const { outputFiles, warnings } = await esbuild({
      absWorkingDir: folder,
      entryPoints: ['entry.js'],
      bundle: true,
      platform: 'browser',
      minify: true,
      write: false,
      logLevel: 'silent',
    });
    return { script: outputFiles[0]?.text ?? '', warnings: warnings.map(({ text }) => text) };
  },
  async vite(folder) {
    const warnings: string[] = [];
    await vite({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      build: {
        outDir: 'vite',
        lib: { entry: 'entry.js', formats: ['iife'], name: 'entry', fileName: 'entry' },
        rollupOptions: { onwarn: ({ message }) => warnings.push(message) },
      },
    });
    return { script: readFileSync(join(folder, 'vite/entry.iife.js'), 'utf8'), warnings };
  },
  async webpack(folder, tools) {
    const webpack = join(tools, 'node_modules/webpack/lib/index.js');
    const script = `
      const webpack = require(${JSON.stringify(webpack)});
      const output = { path: ${JSON.stringify(join(folder, 'webpack'))}, filename: 'entry.js' };
      webpack({ mode: 'production', target: 'web', context: ${JSON.stringify(folder)}, entry: './entry.js', output }, (error, stats) => {
        if (error) throw error;
        const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
        process.stdout.write(JSON.stringify([...errors, ...warnings].map(({ message }) => message)));
      });`;
    const { stdout } = await run(process.execPath, ['--eval', script], { cwd: folder });
    return {
      script: readFileSync(join(folder, 'webpack/entry.js'), 'utf8'),
      warnings: JSON.parse(stdout) as string[],
    };
  },
};

/** The globals of a page that Node has as well. */
const web = {
  AbortController,
  AbortSignal,
  Blob,
  DOMException,
  File,
  FormData,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  atob,
  btoa,
  clearTimeout,
  console,
  crypto,
  fetch,
  performance,
  setTimeout,
};

/** Runs a script without anything of Node, and calls the function that it leaves in `globalThis.work`. */
export function runAsPage<Result>(script: string, input: object): Promise<Result> {
  const context = createContext({ ...web });
  runInContext(script, context);
  return runInContext(`work(${JSON.stringify(input)})`, context);
}
