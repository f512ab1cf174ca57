// npm run dev: npm start that builds again what an edit touches, and restarts the API or the worker when theirs changed.
import { watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';
import { bundleOptions, writeBundles } from './build.mjs';
import { writeBuildInfo } from './build-info.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** An editor writes several files, or one several times: they are one edit. */
const settledMs = 60;

await runScript(() => withSignals(dev));
process.exit();

async function dev(signal) {
  await bootstrap({ log: (line) => console.log(`  … ${line}`), signal });
  const rebuilt = new EventTarget();
  const builder = await watchSources(rebuilt, signal);
  const { main } = await import('../dist/start.js');
  const code = await main(signal, rebuilt);
  await builder.dispose();
  return code;
}

/** Builds after each edit, and tells `rebuilt` which bundles differ: an event named after each. */
async function watchSources(rebuilt, signal) {
  const { context } = await import('esbuild');
  const builder = await context(bundleOptions('service'));
  let timer;
  const rebuild = async () => {
    try {
      const began = performance.now();
      const { outputFiles } = await builder.rebuild();
      const names = writeBundles(outputFiles);
      writeBuildInfo(root);
      if (names.length > 0)
        console.log(`  … built ${names.join(', ')} (${Math.round(performance.now() - began)} ms)`);
      for (const name of names) rebuilt.dispatchEvent(new Event(name));
    } catch (error) {
      console.error(`  … not built: ${error.message}`);
    }
  };
  for (const folder of ['packages/api/src', 'packages/db/src', 'packages/worker/src'])
    watch(join(root, folder), { recursive: true, signal }, () => {
      clearTimeout(timer);
      timer = setTimeout(rebuild, settledMs);
    });
  return builder;
}
