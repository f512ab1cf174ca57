// npm run site: builds what the service serves at /docs into dist/site, unless it is there; installs the generator first.
// `--beside` is npm start's: no install, one line when something was built. `--check` builds once more and compares.
import { bootstrap, runScript, withSignals } from '../../scripts/bootstrap.mjs';
import { buildSite, differingFiles, siteSize } from './src/build.mjs';

const beside = process.argv.includes('--beside');

await runScript(() =>
  withSignals(async (signal) => {
    if (beside) return build(endedWithParent(signal));
    await bootstrap({ packages: 'run', log: console.error, signal, bundles: [] });
    const code = await build(signal);
    return process.argv.includes('--check') ? compare(signal) : code;
  }),
);
process.exit();

async function build(signal) {
  const began = Date.now();
  const outcome = await buildSite({ signal, install: !beside });
  const seconds = ((Date.now() - began) / 1000).toFixed(0);
  if (outcome === 'built')
    console.log(`the site of the documents is built: ${siteSize()} files (${seconds} s)`);
  if (outcome === 'kept' && !beside) console.log('dist/site is the site of these sources already');
  if (outcome === 'no generator')
    console.log('/docs shows plain pages; npm run site builds them with search, samples in tabs and forms');
  return 0;
}

async function compare(signal) {
  const { compared, differing } = await differingFiles(signal);
  for (const name of differing) console.error(`dist/site/${name} differs from a second build`);
  console.log(`${compared} files compared, ${differing.length} differ`);
  return differing.length === 0 ? 0 : 1;
}

/** Aborts with the signal, and when the process that began it is gone. */
function endedWithParent(signal) {
  const controller = new AbortController();
  process.once('disconnect', () => controller.abort());
  return AbortSignal.any([signal, controller.signal]);
}
